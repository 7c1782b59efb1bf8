// SPDX-License-Identifier: GPL-2.0-only
/* The numbers of the interface, to compare the module's header with the library's. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <rocket_accel.h>

#define NUMBER(name)       printf(#name " 0x%llx\n", (unsigned long long)(name))
#define SIZE(type)         printf(#type " %zu\n", sizeof(struct type))
#define FIELD(type, field) printf(#type "." #field " %zu\n", offsetof(struct type, field))

int main(void)
{
	NUMBER(DRM_IOCTL_ROCKET_CREATE_BO);
	NUMBER(DRM_IOCTL_ROCKET_SUBMIT);
	NUMBER(DRM_IOCTL_ROCKET_PREP_BO);
	NUMBER(DRM_IOCTL_ROCKET_FINI_BO);
	NUMBER(DRM_IOCTL_ROCKET_PREP_BO_RANGES);
	NUMBER(DRM_IOCTL_ROCKET_FINI_BO_RANGES);
	NUMBER(DRM_ROCKET_JOB_BATCHED);
	NUMBER(DRM_ROCKET_JOB_NO_DPU_DONE);
	NUMBER(DRM_ROCKET_JOB_PPU_DONE);

	SIZE(drm_rocket_create_bo);
	FIELD(drm_rocket_create_bo, handle);
	FIELD(drm_rocket_create_bo, dma_address);
	FIELD(drm_rocket_create_bo, offset);
	SIZE(drm_rocket_prep_bo);
	FIELD(drm_rocket_prep_bo, reserved);
	FIELD(drm_rocket_prep_bo, timeout_ns);
	SIZE(drm_rocket_fini_bo);
	FIELD(drm_rocket_fini_bo, reserved);
	SIZE(drm_rocket_task);
	FIELD(drm_rocket_task, regcmd_count);
	SIZE(drm_rocket_job);
	FIELD(drm_rocket_job, in_bo_handles);
	FIELD(drm_rocket_job, out_bo_handles);
	FIELD(drm_rocket_job, task_count);
	FIELD(drm_rocket_job, task_struct_size);
	FIELD(drm_rocket_job, in_bo_handle_count);
	FIELD(drm_rocket_job, out_bo_handle_count);
	FIELD(drm_rocket_job, flags);
	FIELD(drm_rocket_job, reserved);
	SIZE(drm_rocket_submit);
	FIELD(drm_rocket_submit, job_count);
	FIELD(drm_rocket_submit, job_struct_size);
	FIELD(drm_rocket_submit, reserved);
	SIZE(drm_rocket_bo_range);
	FIELD(drm_rocket_bo_range, size);
	SIZE(drm_rocket_prep_bo_ranges);
	FIELD(drm_rocket_prep_bo_ranges, range_count);
	FIELD(drm_rocket_prep_bo_ranges, ranges);
	FIELD(drm_rocket_prep_bo_ranges, timeout_ns);
	FIELD(drm_rocket_prep_bo_ranges, reserved);
	SIZE(drm_rocket_fini_bo_ranges);
	FIELD(drm_rocket_fini_bo_ranges, range_count);
	FIELD(drm_rocket_fini_bo_ranges, ranges);
	FIELD(drm_rocket_fini_bo_ranges, reserved);

	return 0;
}

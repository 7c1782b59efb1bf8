/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* narrow.h - rows of fp32 to fp16, nearest even, past the range infinite. */
#ifndef SIM_NPU_NARROW_H
#define SIM_NPU_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void narrow_fn(const float *from, uint16_t *to, size_t n);

narrow_fn *narrow_choose(bool portable);

#endif

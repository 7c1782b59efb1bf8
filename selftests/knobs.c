// SPDX-License-Identifier: LGPL-2.1-or-later
#include "knobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sysfs.h"

#define BOARD_MODEL "linux,dummy-virt" /* what QEMU's machine calls itself */

/* Reading an address that nobody answers can hang a board, so ask who this is first. */
bool board_is_virtual(void)
{
	char text[128] = "";
	FILE *f = fopen("/proc/device-tree/compatible", "r");

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return !strcmp(text, BOARD_MODEL) && !access("/proc/device-tree/npu@fdab0000", F_OK);
}

static bool map_pages(struct knobs *k, char *why, size_t why_size)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);

	if (fd < 0) {
		snprintf(why, why_size, "/dev/mem: %s", strerror(errno));
		return false;
	}
	for (unsigned i = 0; i < BOARD_CORES; i++) {
		off_t page = BOARD_CORE_BASE(i) + BOARD_TEST_PAGE;
		void *p = mmap(NULL, BOARD_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);

		k->core[i] = p == MAP_FAILED ? NULL : p;
		if (p == MAP_FAILED || knob_get(k, i, TEST_ID) != TEST_ID_VALUE) {
			snprintf(why, why_size, "no test page at %#llx", (unsigned long long)page);
			close(fd);
			return false;
		}
	}
	close(fd);
	return true;
}

static void unmap_pages(struct knobs *k)
{
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if (k->core[i])
			munmap((void *)k->core[i], BOARD_PAGE_SIZE);
	memset(k, 0, sizeof(*k));
}

bool knobs_open(struct test *t, struct knobs *k)
{
	char why[100];

	memset(k, 0, sizeof(*k));
	if (!board_is_virtual()) {
		test_skip(t, "needs the knobs of the virtual board");
		return false;
	}
	if (!map_pages(k, why, sizeof(why))) {
		unmap_pages(k);
		test_skip(t, "needs the knobs of the virtual board: %s", why);
		return false;
	}
	knob_set(k, TEST_CLEAR, TEST_CLEAR_ALL);
	return true;
}

void knobs_close(struct knobs *k)
{
	knob_set(k, TEST_CLEAR, TEST_CLEAR_ALL);
	unmap_pages(k);
}

bool inject(struct test *t, const char *what)
{
	int ret;

	if (access(INJECT, W_OK)) {
		test_skip(t, "needs the helper of the virtual board (" INJECT ")");
		return false;
	}
	ret = sysfs_write(INJECT, what);
	return CHECK(t, !ret, "%s: %s", what, strerror(-ret));
}

void inject_off(void)
{
	sysfs_write(INJECT, "off");
}

uint32_t knob_get(const struct knobs *k, unsigned core, uint32_t offset)
{
	return k->core[core][offset / 4];
}

void knob_set_core(struct knobs *k, unsigned core, uint32_t offset, uint32_t value)
{
	k->core[core][offset / 4] = value;
}

void knob_set(struct knobs *k, uint32_t offset, uint32_t value)
{
	for (unsigned i = 0; i < BOARD_CORES; i++)
		knob_set_core(k, i, offset, value);
}

uint32_t knob_sum(const struct knobs *k, uint32_t offset)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < BOARD_CORES; i++)
		sum += knob_get(k, i, offset);
	return sum;
}

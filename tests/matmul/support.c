// SPDX-License-Identifier: LGPL-2.1-or-later
/* support.c - see support.h. */
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

const struct rocket_hw_profile test_rk3588 = {
	.name = "rk3588",
	.cbuf_banks = 12,
	.cbuf_bank_size = 32768,
	.max_tile = 256,
	.kgroup_2b = 32,
	.kgroup_4b = 16,
	.ngroup = 16,
};

struct rocket_settings test_settings(void)
{
	return (struct rocket_settings){ .kacc = 1, .reuse = ROCKET_REUSE_AUTO, .mm_asym = 1 };
}

uint32_t test_random(struct test_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

int test_random_in(struct test_rng *rng, int lo, int hi)
{
	return lo + (int)(test_random(rng) % (uint32_t)(hi - lo + 1));
}

static const char *source_dir(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

int test_run_group(const char *name, const struct CMUnitTest *tests, size_t count, size_t n_golden)
{
	char path[GOLDEN_PATH_MAX];

	/* The committed part has none of the files that these comparisons read. */
	if (n_golden && access(golden_file(path, "README.md"), R_OK)) {
		printf("# %s: no golden data, %zu comparisons left out\n", name, n_golden);
		count -= n_golden;
	}
	if (getenv("TEST_FILTER"))
		cmocka_set_test_filter(getenv("TEST_FILTER"));
	return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

void test_data_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/tests/matmul/data/%s", source_dir(), name);
}

char *test_read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, got;

	if (!f)
		fail_msg("%s: cannot be opened", path);
	do {
		text = realloc(text, size + 65536 + 1);
		assert_non_null(text);
		got = fread(text + size, 1, 65536, f);
		size += got;
	} while (got);
	fclose(f);
	text[size] = '\0';
	return text;
}

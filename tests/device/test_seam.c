// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_seam.c - a provider that owes something is found out, by name; each of this build. */
#include "lib/core/provider.h"
#include "support.h"

static char report_text[2048];

static void collect(const char *line, void *user)
{
	size_t used = strlen(report_text);

	(void)user;
	snprintf(report_text + used, sizeof(report_text) - used, "%s\n", line);
}

static int check(const struct rocket_provider *p)
{
	report_text[0] = 0;
	return rocket_provider_check(p, collect, NULL);
}

/* A copy to spoil. */
static struct rocket_provider good(void **state)
{
	return *(const struct rocket_provider *)*state;
}

static void provider_of_this_build_is_whole(void **state)
{
	assert_int_equal(check(*state), 0);
}

static void provider_missing_an_operation_is_named(void **state)
{
	const struct rocket_provider_op *op;

	for (unsigned i = 0; (op = rocket_provider_op(i)); i++) {
		struct rocket_provider p = good(state);
		char expected[64];

		memset((char *)&p + op->offset, 0, sizeof(void (*)(void)));
		assert_int_equal(check(&p), 1);
		snprintf(expected, sizeof(expected), "operation %s is missing", op->name);
		assert_non_null(strstr(report_text, expected));
	}
}

static void provider_missing_everything_names_everything(void **state)
{
	struct rocket_provider p = { .abi_version = ROCKET_PROVIDER_ABI, .size = sizeof(p) };
	unsigned n = 0;

	(void)state;
	while (rocket_provider_op(n))
		n++;
	assert_int_equal(check(&p), n + 2); /* name and node_globs, too */
}

static void provider_of_another_abi_is_refused(void **state)
{
	struct rocket_provider p = good(state);

	p.abi_version++;
	assert_int_equal(check(&p), 1);
	assert_non_null(strstr(report_text, "abi_version"));
}

static void provider_of_a_shorter_struct_misses_its_tail(void **state)
{
	struct rocket_provider p = good(state);

	p.size -= sizeof(void (*)(void));
	assert_int_equal(check(&p), 2);
	assert_non_null(strstr(report_text, "size is"));
	assert_non_null(strstr(report_text, "operation submit is missing"));
}

static void provider_of_no_size_is_not_looked_into(void **state)
{
	struct rocket_provider p = good(state);

	p.size = 8;
	p.name = (const char *)16; /* must not be followed */
	assert_int_equal(check(&p), 1);
	assert_non_null(strstr(report_text, "size is 8 bytes"));
}

static void provider_without_a_node_is_refused(void **state)
{
	static const char *const none[] = { NULL };
	struct rocket_provider p = good(state);

	p.node_globs = none;
	assert_int_equal(check(&p), 1);
	assert_int_equal(rocket_provider_check(NULL, NULL, NULL), 1);
}

#define CASE(f)                                                                                    \
	{                                                                                          \
#f, f                                                                              \
	}
static const struct {
	const char *name;
	CMUnitTestFunction run;
} cases[] = {
	CASE(provider_of_this_build_is_whole),
	CASE(provider_missing_an_operation_is_named),
	CASE(provider_missing_everything_names_everything),
	CASE(provider_of_another_abi_is_refused),
	CASE(provider_of_a_shorter_struct_misses_its_tail),
	CASE(provider_of_no_size_is_not_looked_into),
	CASE(provider_without_a_node_is_refused),
};
#define CASES         (sizeof(cases) / sizeof(cases[0]))
#define PROVIDERS_MAX 4

int main(void)
{
	static struct CMUnitTest tests[PROVIDERS_MAX * CASES];
	static char names[PROVIDERS_MAX * CASES][80];
	const struct rocket_provider *const *p = rocket_providers();
	size_t n = 0;

	for (; *p && n < PROVIDERS_MAX * CASES; p++)
		for (size_t i = 0; i < CASES; i++, n++) {
			snprintf(names[n], sizeof(names[n]), "%s (%s)", cases[i].name, (*p)->name);
			tests[n] = (struct CMUnitTest){ .name = names[n],
							.test_func = cases[i].run,
							.initial_state = (void *)(uintptr_t)*p };
		}
	return _cmocka_run_group_tests("seam", tests, n, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support.h"

#include <stdlib.h>

uint64_t prog[PROG_MAX];
size_t count;
struct rocket_program_fault faults[FAULTS_MAX];
struct rocket_program_check how;

/* ---- sound programs ---- */

struct rocket_matmul_task plain_task(void)
{
	return (struct rocket_matmul_task){
		.type = ROCKET_MM_FP16_FP16,
		.m = 64,
		.k = 384,
		.n = 96,
		.input = 0x10000000,
		.weights = 0x20000000,
		.output = 0x30000000,
	};
}

void use_task(struct rocket_matmul_task t)
{
	char why[160];
	int n = rocket_rk3588_matmul(&t, prog, WORDS, why, sizeof(why));

	if (n != WORDS)
		fail_msg("%s", why);
	count = WORDS;
	how = (struct rocket_program_check){ .chip = "rk3588", .first_of_job = true };
}

void use_plain(void)
{
	use_task(plain_task());
}

void use_accumulating(void)
{
	struct rocket_matmul_task t = plain_task();

	t.accumulate = true;
	t.add = 0x40000000;
	use_task(t);
}

void use_int8(void)
{
	struct rocket_matmul_task t = plain_task();

	t.type = ROCKET_MM_INT8_INT32;
	use_task(t);
}

void use_rows(void)
{
	struct rocket_matmul_task t = plain_task();

	t.a_row = 768;
	t.c_row = 640;
	use_task(t);
}

/* First program of a golden file: lines of target,offset,value. */
void use_golden(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[512], line[256];
	unsigned target, offset, value;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/goldencheck/data/%s", top ? top : ".", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be read", path);
	for (count = 0; count < COUNT(prog) && fgets(line, sizeof(line), f);) {
		if (line[0] == '#' || sscanf(line, "%x,%x,%x", &target, &offset, &value) != 3)
			continue;
		prog[count++] = rocket_word(target, value, offset);
		if (target == ROCKET_TARGET_ENABLE)
			break;
	}
	fclose(f);
	assert_true(count > 4);
	how = (struct rocket_program_check){ .chip = "rk3588", .first_of_job = true };
}

void use_fly(void)
{
	use_golden("fly_int8_max_4096.txt");
}

void use_fly_mul(void)
{
	use_golden("fly_fp16_mul_4096.txt");
}

void use_pool(void)
{
	use_golden("pool_fp16_max_5x5s1_p2_c64_13x13.txt");
}

void use_depthwise(void)
{
	use_golden("conv_int8q_dw3x3_s2_p1_c64_9x9.txt");
}

/* ---- breaking and looking ---- */

size_t find(unsigned offset)
{
	for (size_t i = 0; i < count; i++)
		if (rocket_word_offset(prog[i]) == offset && rocket_word_target(prog[i]) > 1 &&
		    rocket_word_target(prog[i]) != ROCKET_TARGET_ENABLE)
			return i;
	fail_msg("register %04x is not in the program", offset);
	return 0;
}

void set(unsigned offset, uint32_t value)
{
	size_t i = find(offset);

	prog[i] = rocket_word(rocket_word_target(prog[i]), value, offset);
}

void drop(size_t i)
{
	memmove(&prog[i], &prog[i + 1], (count - i - 1) * sizeof(prog[0]));
	count--;
}

size_t check(void)
{
	memset(faults, 0, sizeof(faults));
	return rocket_program_validate(prog, count, &how, faults, FAULTS_MAX);
}

void is_clean(void)
{
	if (check())
		fail_msg("%s.%s: %s", faults[0].block, faults[0].reg, faults[0].reason);
}

void reports(const char *block, const char *reg, const char *words)
{
	size_t n = check();

	if (n != 1)
		fail_msg("%zu faults: %s.%s %s; %s.%s %s", n, faults[0].block, faults[0].reg,
			 faults[0].reason, faults[1].block, faults[1].reg, faults[1].reason);
	if (strcmp(faults[0].block, block) || strcmp(faults[0].reg, reg) ||
	    !strstr(faults[0].reason, words))
		fail_msg("%s.%s \"%s\" instead of %s.%s \"%s\"", faults[0].block, faults[0].reg,
			 faults[0].reason, block, reg, words);
}

void each_is_reported_once(const struct mistake *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		m[i].use();
		is_clean();
		set(m[i].offset, m[i].value);
		reports(m[i].block, m[i].reg, m[i].words);
		assert_false(faults[0].warning);
	}
}

void register_name(uint64_t word, char *name, size_t size)
{
	char line[512], *dot, *end;

	rocket_disassemble("rk3588", word, line, sizeof(line));
	dot = strchr(line, '.');
	end = dot ? strchr(dot, ' ') : NULL;
	assert_non_null(end);
	*end = '\0';
	snprintf(name, size, "%s", dot + 1);
}

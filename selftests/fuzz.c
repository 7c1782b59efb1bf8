// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fuzz - random calls to the driver that know its structures. After each run the kernel has
 * said nothing, every answer was one that is known, and a job still computes the right thing.
 *
 *   fuzz [-n IOCTLS] [-s SEED] [OPTIONS] [NODE]    OPTIONS: those of every program, after ours
 *
 * A run of a seed is the same every time but for what the device's timing decides.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "klog.h"

#define RUN_IOCTLS   2000
#define RUNS_MOST    2048
#define RUN_SECONDS  600
#define QUICK_IOCTLS 4000

static bool fuzz_begin(struct fuzz *f, struct test *t, const struct fuzz_run *run)
{
	memset(f, 0, sizeof(*f));
	f->t = t;
	f->state = run->seed;
	for (int i = 0; i < FUZZ_FILES; i++)
		f->files[i].fd = -1;
	for (int i = 0; i < FUZZ_DMABUFS; i++)
		f->dmabufs[i] = -1;
	f->arena = mmap(NULL, FUZZ_ARENA + PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return CHECK(t, f->arena != MAP_FAILED, "%s", strerror(errno)) &&
	       CHECK(t, !mprotect(f->arena + FUZZ_ARENA, PAGE, PROT_NONE), "%s", strerror(errno));
}

static void fuzz_end(struct fuzz *f)
{
	for (int i = 0; i < FUZZ_FILES; i++)
		if (f->files[i].fd >= 0)
			f->t->node->calls->close(f->files[i].fd);
	for (int i = 0; i < FUZZ_DMABUFS; i++)
		if (f->dmabufs[i] >= 0)
			close(f->dmabufs[i]);
	munmap(f->arena, FUZZ_ARENA + PAGE);
}

/* The device still works, for somebody who did nothing wrong. */
static void check_device(struct test *t)
{
	struct file *file = test_file(t);
	struct load good;

	if (file && load_make(&good, t, file, &small_matmul, 1, LOAD_INTEGERS))
		load_run_right(&good);
}

static void test_run_of_seed(struct test *t)
{
	const struct fuzz_run *run = t->as->arg;
	struct fuzz f;

	REQUIRE(t, fuzz_begin(&f, t, run), "no room");
	while (f.ioctls < run->ioctls && !test_failed(t))
		fuzz_step(&f);
	if (test_failed(t))
		tap_note("seed %llu, call %u", (unsigned long long)run->seed, f.ioctls);
	fuzz_end(&f);
	check_device(t);
}

static struct test_case case_of(const struct fuzz_run *run)
{
	return (struct test_case){ .name = run->name,
				   .run = test_run_of_seed,
				   .expects = EXPECT_COUNTS_BOUNDED,
				   .arg = run,
				   .seconds = RUN_SECONDS,
				   .log = KLOG_TIMEOUT | KLOG_FAULT };
}

static unsigned long long number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "fuzz: '%s' is not a number\n", text);
		exit(1);
	}
	return value;
}

int main(int argc, char **argv)
{
	static struct fuzz_run runs[RUNS_MOST];
	static struct test_case cases[RUNS_MOST];
	unsigned long long ioctls = QUICK_IOCTLS, seed = 1;
	struct test_table table = { cases, 0 };

	for (; argc > 2 && (!strcmp(argv[1], "-n") || !strcmp(argv[1], "-s")); argc -= 2) {
		*(argv[1][1] == 'n' ? &ioctls : &seed) = number(argv[2]);
		argv[2] = argv[0];
		argv += 2;
	}
	for (unsigned i = 0; i < fuzz_corpus_size; i++)
		cases[table.n++] = case_of(&fuzz_corpus[i]);
	while (ioctls && table.n < RUNS_MOST) {
		struct fuzz_run *run = &runs[table.n];

		run->seed = seed++;
		run->ioctls = ioctls < RUN_IOCTLS ? (unsigned)ioctls : RUN_IOCTLS;
		ioctls -= run->ioctls;
		snprintf(run->name, sizeof(run->name), "seed_%llu", (unsigned long long)run->seed);
		cases[table.n++] = case_of(run);
	}
	return test_main(argc, argv, &table, 1);
}

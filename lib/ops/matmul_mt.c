// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul_mt.c - one product over fds that the library opens, which stay open for the next.
 *
 * A crew that has done a call is parked. A call takes one that was opened under the same settings,
 * so calls of several threads at once have one each. Parked crews are closed when the caller asks,
 * or closes the last fd of its own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../core/status.h"
#include "matmul_crew.h"
#include "rocket_matmul.h"

struct parked {
	struct parked *next;
	struct rocket_settings settings; /* of the environment that it was opened in */
	struct rocket_matmul_crew crew;
};

/* Fds of all parked crews. */
#define PARKED_FDS_MAX ROCKET_SPLIT_MAX

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct parked *parked; /* that of the last call first */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct parked *parents; /* in a child of fork(): unusable, still reachable */

static void forked(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	parents = parked;
	parked = NULL;
}

static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
	rocket_device_on_last_close(rocket_matmul_mt_drain);
}

static void close_all(struct parked *p)
{
	while (p) {
		struct parked *next = p->next;

		rocket_crew_close(&p->crew);
		free(p);
		p = next;
	}
}

void rocket_matmul_mt_drain(void)
{
	struct parked *all;

	pthread_mutex_lock(&lock);
	all = parked;
	parked = NULL;
	pthread_mutex_unlock(&lock);
	close_all(all);
}

/* Somebody may have closed all files, as daemons do when they start. */
static bool has_its_files(const struct rocket_matmul_crew *crew)
{
	for (int i = 0; i < crew->open; i++)
		if (!rocket_device_has_its_file(crew->member[i].dev))
			return false;
	return true;
}

/* A parked crew for these settings, or NULL. Those for others are of an environment that was. */
static struct parked *take(const struct rocket_settings *settings)
{
	struct parked *found = NULL, *gone = NULL;

	pthread_mutex_lock(&lock);
	for (struct parked **at = &parked; *at;) {
		struct parked *p = *at;

		if (memcmp(&p->settings, settings, sizeof(*settings))) {
			*at = p->next;
			p->next = gone;
			gone = p;
		} else if (!found) {
			*at = p->next;
			found = p;
		} else {
			at = &p->next;
		}
	}
	pthread_mutex_unlock(&lock);
	close_all(gone);
	if (!found)
		return NULL;
	found->next = NULL;
	if (!has_its_files(&found->crew)) {
		close_all(found);
		return NULL;
	}
	for (int i = 0; i < found->crew.open; i++)
		rocket_device_park(found->crew.member[i].dev, false);
	return found;
}

static void park(struct parked *p)
{
	struct parked **at = &parked, *gone;
	int fds = 0;

	for (int i = 0; i < p->crew.open; i++)
		rocket_device_park(p->crew.member[i].dev, true);
	pthread_mutex_lock(&lock);
	p->next = parked;
	parked = p;
	while (*at && (fds += (*at)->crew.open) <= PARKED_FDS_MAX)
		at = &(*at)->next;
	gone = *at;
	*at = NULL;
	pthread_mutex_unlock(&lock);
	close_all(gone);
}

static int run_crew(const struct rocket_matmul_call *call, const struct rocket_settings *settings,
		    int nthreads)
{
	struct parked *p = take(settings);
	int ret;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return rocket_fail(ROCKET_E_NOMEM, "%s: no memory for workers", call->who);
		p->settings = *settings;
	}
	ret = rocket_crew_fit(&p->crew, call->who, rocket_crew_size(nthreads), call->kind->type,
			      call->N);
	if (!ret)
		ret = rocket_crew_run(&p->crew, call, NULL);
	/* After a failure they may be in any state. */
	if (ret || !settings->keep_mib)
		close_all(p);
	else
		park(p);
	return ret;
}

static int run_split(const struct rocket_matmul_call *call, int nthreads)
{
	const struct rocket_settings set = rocket_settings_read();
	int ret = rocket_matmul_check(call);

	pthread_once(&once, init);
	/* What can be refused without a device is. */
	if (!ret)
		ret = rocket_matmul_check_shape(call, rocket_hw_current(), &set);
	return ret ? ret : run_crew(call, &set, nthreads);
}

int rocket_matmul_fp16_mt(int M, int K, int N, const _Float16 *A, const _Float16 *B, _Float16 *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16_mt", &rocket_kind_fp16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}

int rocket_matmul_bf16_mt(int M, int K, int N, const float *A, const float *B, float *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_bf16_mt", &rocket_kind_bf16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "pool.h"
#include "rocket_log.h"
#include "rocket_npu.h"

/* One rocket_pool_run() in progress. Lives on the caller's stack. */
struct batch {
	struct batch *next;
	int (*fn)(void *arg, unsigned i);
	void *arg;
	int base;
	unsigned n, started, finished;
	int rc[ROCKET_POOL_MAX];
	pthread_cond_t done;
};

static struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct batch *head; /* batches with items nobody has started, oldest first */
	pthread_t threads[ROCKET_POOL_MAX];
	unsigned n_threads, n_idle;
	bool stop;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forked(void)
{
	static const struct pool fresh = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.work = PTHREAD_COND_INITIALIZER,
	};

	pool = fresh;
}

static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* Take the next item of b, which must have one left. Called with the lock held. */
static unsigned take_item(struct batch *b)
{
	unsigned i = b->started++;

	if (b->started == b->n)
		for (struct batch **p = &pool.head; *p; p = &(*p)->next)
			if (*p == b) {
				*p = b->next;
				break;
			}
	return i;
}

static void finish_item(struct batch *b, unsigned i, int rc)
{
	b->rc[i] = rc;
	if (++b->finished == b->n)
		pthread_cond_signal(&b->done);
}

static void *worker(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&pool.lock);
	while (!pool.stop) {
		struct batch *b = pool.head;
		unsigned i;
		int rc;

		if (!b) {
			pthread_cond_wait(&pool.work, &pool.lock);
			continue;
		}
		i = take_item(b);
		pool.n_idle--;
		pthread_mutex_unlock(&pool.lock);
		rocket_affinity_set_base(b->base);
		rocket_pin_worker((int)i);
		rc = b->fn(b->arg, i);
		pthread_mutex_lock(&pool.lock);
		pool.n_idle++;
		finish_item(b, i, rc);
	}
	pool.n_idle--;
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

/* Have at least want idle threads, as far as the system allows; 0 or why not. Lock held. */
static int grow(unsigned want)
{
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals belong to the application's threads */
	while (pool.n_idle < want && pool.n_threads < ROCKET_POOL_MAX) {
		err = pthread_create(&pool.threads[pool.n_threads], NULL, worker, NULL);
		if (err)
			break;
		pool.n_threads++;
		pool.n_idle++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

int rocket_pool_run(unsigned n, int (*fn)(void *arg, unsigned i), void *arg)
{
	struct batch b = { .fn = fn, .arg = arg, .base = rocket_affinity_get_base(), .n = n };
	struct batch **tail;
	bool helping;
	int err, rc = 0;

	if (!n || n > ROCKET_POOL_MAX)
		return n ? ROCKET_E_SHAPE : 0;
	pthread_once(&once, init);
	pthread_cond_init(&b.done, NULL);

	pthread_mutex_lock(&pool.lock);
	err = grow(n);
	helping = pool.n_idle < n; /* else the caller only waits, and each item runs where pinned */
	for (tail = &pool.head; *tail; tail = &(*tail)->next)
		;
	*tail = &b;
	pthread_cond_broadcast(&pool.work);
	while (helping && b.started < b.n) {
		unsigned i = take_item(&b);
		int r;

		pthread_mutex_unlock(&pool.lock);
		r = fn(arg, i);
		pthread_mutex_lock(&pool.lock);
		finish_item(&b, i, r);
	}
	while (b.finished < b.n)
		pthread_cond_wait(&b.done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);

	if (err)
		rocket_log(ROCKET_LOG_WARN,
			   "a worker thread is missing (%s): the caller did its part",
			   strerror(err));
	pthread_cond_destroy(&b.done);
	for (unsigned i = 0; i < n; i++)
		if (b.rc[i])
			rc = b.rc[i];
	return rc;
}

unsigned rocket_pool_threads(void)
{
	unsigned n;

	pthread_mutex_lock(&pool.lock);
	n = pool.n_threads;
	pthread_mutex_unlock(&pool.lock);
	return n;
}

__attribute__((destructor)) void rocket_pool_shutdown(void)
{
	unsigned n;

	pthread_mutex_lock(&pool.lock);
	if (pool.n_idle != pool.n_threads) { /* exit() under a running operation: leave it alone */
		pthread_mutex_unlock(&pool.lock);
		return;
	}
	n = pool.n_threads;
	pool.stop = true;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
	for (unsigned i = 0; i < n; i++)
		pthread_join(pool.threads[i], NULL);
	pthread_mutex_lock(&pool.lock);
	pool.n_threads = 0;
	pool.stop = false;
	pthread_mutex_unlock(&pool.lock);
}

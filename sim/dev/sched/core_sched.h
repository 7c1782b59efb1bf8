/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * core_sched.h - which core runs which tasks: submits of several lanes on several cores.
 *
 * A state machine and nothing else: no thread, no clock, no allocation, no device. Its owner calls
 * it under one lock, tells it what happened and does what it says:
 *
 *   core_sched_submit()   a caller has tasks; it then waits until this submit is woken
 *   core_sched_publish()  a core's interrupt handler has a raw completion
 *   core_sched_abort()    a caller gives up
 *   core_sched_next()     the worker asks what to do, until there is nothing
 *   core_sched_take()     a woken caller collects its result
 *
 * A *lane* is a stretch of a submit's tasks that run in order, one dispatch at a time, on any core
 * it may use. A submit is *ready* while nothing of it has started, *running* while a lane is on a
 * core or could go to one, *complete* when nothing of it will run any more. These are derived from
 * its lanes and its error, never decided elsewhere.
 *
 * A wake is for one submit ("yours is done"), a kick for the worker ("there is something to do").
 * A kick stays until the worker has looked, so one that comes while it works is not lost.
 */
#ifndef SIM_DEV_SCHED_CORE_SCHED_H
#define SIM_DEV_SCHED_CORE_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define CORE_SCHED_CORES 8u
#define CORE_SCHED_LANES 5u

struct core_sched_range {
	uint32_t first, count;
};

struct core_sched_request {
	int32_t priority;              /* the higher, the sooner */
	uint32_t core_mask;            /* cores it may use */
	uint32_t run;                  /* most tasks of a dispatch; 0 is 1 */
	struct core_sched_range tasks; /* one lane of all, when lanes[] has no tasks */
	struct core_sched_range lanes[CORE_SCHED_LANES];
	uint8_t lane_cores[CORE_SCHED_LANES]; /* cores of a lane; 0: all of core_mask */
};

struct core_sched_options {
	unsigned cores;
	/* A ready submit is passed over in favour of running ones so often and no more; 0: for as
	 * long as they have tasks. */
	uint32_t most_bypasses;
	/* A ready submit goes before running ones of lower priority. */
	bool urgent_first;
};

enum core_sched_bucket {
	CORE_SCHED_FREE,
	CORE_SCHED_READY,
	CORE_SCHED_RUNNING,
	CORE_SCHED_COMPLETE,
	CORE_SCHED_BUCKETS,
};

/* One submit. Owned by the machine; to be read only. */
struct core_sched_job {
	struct core_sched_request request; /* with its lanes filled in */
	uint32_t cursor[CORE_SCHED_LANES]; /* tasks done */
	uint8_t in_flight;                 /* lanes that are on a core, a bit each */
	uint8_t bucket;                    /* enum core_sched_bucket */
	bool synced, woken;                /* complete: visible to the CPU, its caller woken */
	int16_t next;                      /* in its bucket; -1 is the end */
	int32_t error;                     /* the first */
	uint32_t partial;                  /* tasks done of dispatches that failed */
	uint32_t round;                    /* dispatch round of its last write sync */
	uint32_t bypasses;
};

struct core_sched_core {
	bool bound, raw;
	/* bound to: */
	int16_t id;
	uint8_t lane;
	uint32_t task, count;
	/* raw: */
	uint32_t status, done;
	int32_t error;
};

struct core_sched {
	struct core_sched_options options;
	struct core_sched_job *jobs;
	unsigned n_jobs;
	int16_t head[CORE_SCHED_BUCKETS];
	struct core_sched_core cores[CORE_SCHED_CORES];
	bool kicked;
	uint8_t phase;
	bool started; /* something, in this round */
	uint32_t round;
	uint64_t strays; /* completions of cores that had nothing to complete */
};

/*
 * jobs[n] is the memory for as many submits at once. 0, or -EINVAL: no core or too many, no room
 * for a submit or for more than fit an id.
 */
int core_sched_init(struct core_sched *s, const struct core_sched_options *options,
		    struct core_sched_job *jobs, unsigned n);

/*
 * Take a submit: its id, or -EINVAL (no tasks, a core that is not there, a lane without a core, too
 * many tasks to count) or -EAGAIN (no room now). An id is used again once its result is taken.
 */
int core_sched_submit(struct core_sched *s, const struct core_sched_request *request);

/*
 * A core is through with what it was bound to: done tasks of it, their status and 0, or an error.
 * What comes from a core that has nothing, or twice, is dropped and counted as stray.
 */
void core_sched_publish(struct core_sched *s, unsigned core, uint32_t status, uint32_t done,
			int error);

/* Nothing more of this submit is started; it completes with error when its cores are through. */
void core_sched_abort(struct core_sched *s, int id, int error);

enum core_sched_verb {
	CORE_SCHED_DONE,  /* tasks of a lane ended: core, id, lane, task, count, status, error */
	CORE_SCHED_WRITE, /* make what the CPU wrote for id visible to the cores */
	CORE_SCHED_START, /* program core with count tasks from task on, of lane of id */
	CORE_SCHED_READ,  /* make what the cores wrote for id visible to the CPU */
	CORE_SCHED_WAKE,  /* the caller of id may take it */
};

struct core_sched_action {
	enum core_sched_verb verb;
	int id;
	unsigned core, lane;
	uint32_t task, count, status;
	int error;
};

/*
 * What the worker has to do next. False: nothing before the next kick, which s->kicked tells of.
 * Finished cores come first, then wakes, then work for idle cores.
 */
bool core_sched_next(struct core_sched *s, struct core_sched_action *action);

struct core_sched_result {
	int error;
	uint32_t tasks, completed;
};

/* The result of a submit that was woken; its id is free then. False: it was not. */
bool core_sched_take(struct core_sched *s, int id, struct core_sched_result *result);

/* Tasks of a submit in all its lanes. */
uint32_t core_sched_tasks(const struct core_sched_job *job);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* crowd.c - see crowd.h. */
#include "crowd.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/core/clock.h"

#define LOOK_NS 5000000u /* between two looks at what the members do */

/* What all see; processes share it. */
enum gate { GATE_SHUT, GATE_OPEN, GATE_CANCELLED };
struct shared {
	atomic_int gate;
	atomic_uint ready, ended;
};

struct seat {
	const struct crowd *crowd;
	struct crowd_member *member;
	struct shared *shared;
	unsigned index;
	int fd; /* of all, or -1 */
	pthread_t thread;
	pid_t process;
	bool killed; /* by us */
};

static void nap(void)
{
	const struct timespec t = { 0, LOOK_NS };

	nanosleep(&t, NULL);
}

struct crowd_member *crowd_members(unsigned n)
{
	void *p = mmap(NULL, n * sizeof(struct crowd_member), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void crowd_members_free(struct crowd_member *members, unsigned n)
{
	munmap(members, n * sizeof(*members));
}

/* ---- a member ---- */

static bool goes_on(const struct crowd *crowd, const struct crowd_member *m, uint64_t now)
{
	if (crowd->jobs)
		return atomic_load(&m->completed) < crowd->jobs;
	return now - m->start_ns < crowd->duration_ns;
}

static void work(const struct crowd *crowd, struct crowd_member *m, struct client *client)
{
	m->start_ns = m->end_ns = rocket_now_ns();
	while (goes_on(crowd, m, m->end_ns)) {
		uint64_t took;
		enum client_outcome outcome = client_run(client, crowd->timeout_ns, &took);

		m->end_ns = rocket_now_ns();
		if (outcome == CLIENT_FAILED) {
			m->failed++;
			memcpy(m->why, client->why, sizeof(m->why));
			return;
		}
		m->wrong += outcome == CLIENT_WRONG;
		latency_add(&m->latency, took);
		atomic_fetch_add(&m->completed, 1);
	}
}

static void sit(struct seat *s)
{
	const struct crowd *crowd = s->crowd;
	const struct client_job *job = s->index < crowd->heavy ? &crowd->heavy_job : &crowd->job;
	struct client client;
	bool opened = client_open(&client, s->fd, job, CROWD_SEED(s->index));

	if (!opened) {
		s->member->failed++;
		memcpy(s->member->why, client.why, sizeof(s->member->why));
	}
	atomic_fetch_add(&s->shared->ready, 1);
	while (atomic_load(&s->shared->gate) == GATE_SHUT)
		nap();
	if (opened && atomic_load(&s->shared->gate) == GATE_OPEN)
		work(crowd, s->member, &client);
	if (opened)
		client_close(&client);
	atomic_fetch_add(&s->shared->ended, 1);
}

static void *sit_in_thread(void *arg)
{
	sit(arg);
	return NULL;
}

/* Whoever ends us without our leave to end the others: they would wait for a gate or work on. */
static void end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
}

static bool begin(struct seat *s)
{
	const pid_t parent = getpid();

	if (s->crowd->kind != CROWD_PROCESSES)
		return !pthread_create(&s->thread, NULL, sit_in_thread, s);
	fflush(stdout);
	s->process = fork();
	if (!s->process) {
		end_with(parent);
		sit(s);
		_exit(0);
	}
	return s->process > 0;
}

static void end(const struct seat *s)
{
	int status = 0;

	if (s->crowd->kind != CROWD_PROCESSES) {
		pthread_join(s->thread, NULL);
		return;
	}
	while (waitpid(s->process, &status, 0) < 0 && errno == EINTR)
		;
	if (status && !s->killed) {
		s->member->failed++;
		snprintf(s->member->why, sizeof(s->member->why), "its process ended with %#x",
			 (unsigned)status);
	}
}

/* ---- all of them ---- */

static uint64_t completed(const struct crowd_member *members, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += atomic_load(&members[i].completed);
	return sum;
}

/* A process that died does not count itself, nor is it waited for. */
static bool has_died(const struct seat *s)
{
	siginfo_t info = { 0 };

	return s->crowd->kind == CROWD_PROCESSES &&
	       !waitid(P_PID, (id_t)s->process, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid && (info.si_code != CLD_EXITED || info.si_status);
}

static bool any_has_died(const struct seat *seats, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (has_died(&seats[i]))
			return true;
	return false;
}

/* Processes that have not ended by themselves. */
static void kill_all(struct seat *seats, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (seats[i].process > 0 && !has_died(&seats[i])) {
			seats[i].killed = true;
			kill(seats[i].process, SIGKILL);
		}
}

/* Wait until count is n: CROWD_DONE, or that they stopped completing jobs, or that one died. */
static enum crowd_end await(const struct seat *seats, unsigned n, const atomic_uint *count)
{
	const uint64_t stall = seats[0].crowd->stall_ns;
	uint64_t seen = 0, since = rocket_now_ns();

	while (atomic_load(count) < n) {
		const uint64_t now = rocket_now_ns(), done = completed(seats[0].member, n);

		if (any_has_died(seats, n))
			return CROWD_FAILED;
		if (done != seen || !stall) {
			seen = done;
			since = now;
		} else if (now - since > stall) {
			return CROWD_STALLED;
		}
		nap();
	}
	return CROWD_DONE;
}

static bool all_well(const struct crowd_member *members, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (members[i].failed)
			return false;
	return true;
}

static enum crowd_end run(struct seat *seats, unsigned n, struct shared *shared)
{
	struct crowd_member *members = seats[0].member;
	unsigned begun = 0;
	enum crowd_end how;

	while (begun < n && begin(&seats[begun]))
		begun++;
	how = await(seats, begun, &shared->ready);
	atomic_store(&shared->gate,
		     begun == n && all_well(members, n) ? GATE_OPEN : GATE_CANCELLED);
	if (how == CROWD_DONE)
		how = await(seats, begun, &shared->ended);
	if (how != CROWD_DONE) {
		if (seats[0].crowd->kind != CROWD_PROCESSES)
			return how;
		kill_all(seats, begun);
	}
	for (unsigned i = 0; i < begun; i++)
		end(&seats[i]);
	if (begun < n)
		snprintf(members[begun].why, sizeof(members[begun].why), "cannot be started");
	return how == CROWD_STALLED || (begun == n && all_well(members, n)) ? how : CROWD_FAILED;
}

enum crowd_end crowd_run(const struct crowd *crowd, struct crowd_member *members)
{
	/* Those that are stuck go on looking at these. */
	static struct seat seats[CROWD_MAX];
	const unsigned n = crowd->members;
	struct shared *shared;
	enum crowd_end how = CROWD_FAILED;
	int fd = -1;

	if (!n || n > CROWD_MAX)
		return CROWD_FAILED;
	memset(members, 0, n * sizeof(*members));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return CROWD_FAILED;
	if (crowd->kind == CROWD_FILE)
		fd = rocket_open();
	if (crowd->kind == CROWD_FILE && fd < 0) {
		snprintf(members[0].why, sizeof(members[0].why), "no device: %s", strerror(-fd));
	} else {
		for (unsigned i = 0; i < n; i++)
			seats[i] = (struct seat){ crowd, &members[i], shared, i, fd, 0, 0, false };
		how = run(seats, n, shared);
	}
	if (how == CROWD_STALLED)
		return how;
	if (fd >= 0)
		rocket_close(fd);
	munmap(shared, sizeof(*shared));
	return how;
}

/* ---- what it comes to ---- */

double crowd_rate(const struct crowd_member *m)
{
	const double seconds = (double)(m->end_ns - m->start_ns) / 1e9;

	return seconds > 0 ? (double)atomic_load(&m->completed) / seconds : 0;
}

double crowd_fairness(const struct crowd_member *members, unsigned n)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		const double x = crowd_rate(&members[i]);

		sum += x;
		squares += x * x;
	}
	return squares > 0 ? sum * sum / (n * squares) : 0;
}

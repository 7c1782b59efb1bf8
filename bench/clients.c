// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * clients.c - what each of many users of one NPU gets: jobs a second, and how long a job takes.
 *
 * Each client runs its next job when the last is done; a time is from the submit to the result that
 * the CPU may read. Every element of every result is compared with a reference computed on the CPU,
 * outside of the time. On a simulated device times are those of the simulation on this machine, and
 * say how a driver shares its cores, not how fast an NPU is. Fails on a wrong result and when no
 * job ends any more, never on a time.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd.h"
#include "lib/core/device.h"
#include "number.h"
#include "printed.h"
#include "tools/rocket/json.h"

struct scenario {
	const char *name, *what;
	enum crowd_kind kind;
	bool alone, heavy;
};

static const struct scenario scenarios[] = {
	{ "alone", "one client", CROWD_FILES, true, false },
	{ "files", "threads, a file each", CROWD_FILES, false, false },
	{ "file", "threads that share a file", CROWD_FILE, false, false },
	{ "processes", "processes", CROWD_PROCESSES, false, false },
	{ "heavy", "threads, a file each; some of them submit chains", CROWD_FILES, false, true },
};
#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

struct options {
	struct crowd crowd;
	unsigned chain;
	const char *only;
	bool json;
};

/* What the times are of. */
static bool look(struct rocket_device_info *d)
{
	int fd = rocket_open();

	if (fd < 0)
		return false;
	rocket_device_info(fd, d);
	rocket_close(fd);
	return true;
}

static bool is_simulated(const struct rocket_device_info *d)
{
	return !strcmp(d->kernel, "sim");
}

/* Whether the clients are on the same NPU. */
static bool shares_device(const struct scenario *s, const struct rocket_device_info *d)
{
	return s->kind != CROWD_PROCESSES || !is_simulated(d);
}

static struct crowd crowd_of(const struct options *o, const struct scenario *s)
{
	struct crowd c = o->crowd;

	c.kind = s->kind;
	if (s->alone)
		c.members = 1;
	if (s->heavy) {
		c.heavy = c.members > 4 ? c.members / 4 : 1;
		c.heavy_job = c.job;
		c.heavy_job.tasks = o->chain;
	}
	return c;
}

/* ---- sums ---- */

struct totals {
	uint64_t completed, wrong;
	double rate, slowest, fastest;
	struct latency latency;
};

static struct totals *sum(const struct crowd_member *members, unsigned n)
{
	static struct totals t;

	memset(&t, 0, sizeof(t));
	t.slowest = crowd_rate(&members[0]);
	for (unsigned i = 0; i < n; i++) {
		const double rate = crowd_rate(&members[i]);

		t.completed += atomic_load(&members[i].completed);
		t.wrong += members[i].wrong;
		t.rate += rate;
		t.slowest = rate < t.slowest ? rate : t.slowest;
		t.fastest = rate > t.fastest ? rate : t.fastest;
		latency_merge(&t.latency, &members[i].latency);
	}
	return &t;
}

/* ---- the table ---- */

static const double percents[] = { 50, 95, 99 };

static void print_row(const char *who, uint64_t jobs, double rate, const struct latency *l,
		      uint64_t wrong)
{
	printf("  %-14s %9llu %10.1f", who, (unsigned long long)jobs, rate);
	for (unsigned i = 0; i < 3; i++)
		printf(" %9.1f", (double)latency_percentile(l, percents[i]) / 1e3);
	printf(" %9.1f %6llu\n", (double)l->max_ns / 1e3, (unsigned long long)wrong);
}

static void print_scenario(const struct scenario *s, const struct crowd *c,
			   const struct rocket_device_info *d, const struct crowd_member *members)
{
	const struct totals *t = sum(members, c->members);

	printf("\n%s: %s%s\n", s->name, s->what,
	       shares_device(s, d) ? "" : ", each with a simulated device of its own");
	printf("  %-14s %9s %10s %9s %9s %9s %9s %6s\n", "client", "jobs", "jobs/s", "p50 us",
	       "p95 us", "p99 us", "max us", "wrong");
	for (unsigned i = 0; i < c->members; i++) {
		char who[32];

		snprintf(who, sizeof(who), "%u%s", i, i < c->heavy ? " (chains)" : "");
		print_row(who, atomic_load(&members[i].completed), crowd_rate(&members[i]),
			  &members[i].latency, members[i].wrong);
	}
	if (c->members == 1)
		return;
	print_row("all", t->completed, t->rate, &t->latency, t->wrong);
	printf("  fairness: Jain's index %.4f of what each client%s got; slowest %.1f, fastest "
	       "%.1f jobs/s\n",
	       crowd_fairness(members + c->heavy, c->members - c->heavy),
	       c->heavy ? " without chains" : "", t->slowest, t->fastest);
}

/* ---- JSON ---- */

static void write_latency(struct json *j, const struct latency *l)
{
	static const char *const keys[] = { "p50_us", "p95_us", "p99_us" };

	for (unsigned i = 0; i < 3; i++)
		json_real(j, keys[i], (double)latency_percentile(l, percents[i]) / 1e3);
	json_real(j, "max_us", (double)l->max_ns / 1e3);
	json_real(j, "mean_us", l->total ? (double)l->sum_ns / 1e3 / (double)l->total : 0);
}

static void write_scenario(struct json *j, const struct scenario *s, const struct crowd *c,
			   const struct rocket_device_info *d, const struct crowd_member *members)
{
	const struct totals *t = sum(members, c->members);

	json_object(j, NULL);
	json_string(j, "scenario", s->name);
	json_string(j, "clients_are", s->what);
	json_bool(j, "one_device", shares_device(s, d));
	json_count(j, "jobs", t->completed);
	json_count(j, "wrong", t->wrong);
	json_real(j, "jobs_per_s", t->rate);
	json_real(j, "slowest_jobs_per_s", t->slowest);
	json_real(j, "fastest_jobs_per_s", t->fastest);
	json_real(j, "fairness_of_equals",
		  crowd_fairness(members + c->heavy, c->members - c->heavy));
	write_latency(j, &t->latency);
	json_array(j, "clients");
	for (unsigned i = 0; i < c->members; i++) {
		json_object(j, NULL);
		json_count(j, "tasks_of_a_job", i < c->heavy ? c->heavy_job.tasks : c->job.tasks);
		json_count(j, "jobs", atomic_load(&members[i].completed));
		json_count(j, "wrong", members[i].wrong);
		json_real(j, "jobs_per_s", crowd_rate(&members[i]));
		write_latency(j, &members[i].latency);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/* Of one that did not come to its end. */
static void write_failure(struct json *j, const struct scenario *s, const struct crowd *c,
			  enum crowd_end how, const struct crowd_member *members)
{
	json_object(j, NULL);
	json_string(j, "scenario", s->name);
	json_string(j, "clients_are", s->what);
	json_string(j, "failure", how == CROWD_STALLED ? "stalled" : "failed");
	if (how == CROWD_STALLED)
		json_real(j, "no_job_ended_for_s", (double)c->stall_ns / 1e9);
	json_array(j, "clients");
	for (unsigned i = 0; i < c->members; i++) {
		json_object(j, NULL);
		json_count(j, "jobs", atomic_load(&members[i].completed));
		if (how != CROWD_STALLED) /* else it may be written just now */
			json_string(j, "why", members[i].why[0] ? members[i].why : NULL);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void begin_json(struct json *j, const struct options *o, const struct rocket_device_info *d)
{
	json_begin(j, stdout);
	json_string(j, "benchmark", "clients");
	json_object(j, "device");
	json_string(j, "path", d->path);
	json_string(j, "driver", d->provider);
	json_string(j, "driver_version", d->driver_version);
	json_string(j, "chip", d->chip);
	json_count(j, "cores", d->cores);
	json_bool(j, "simulated", is_simulated(d));
	json_end(j);
	json_object(j, "job");
	json_string(j, "dtype", "fp16");
	json_count(j, "M", o->crowd.job.m);
	json_count(j, "K", o->crowd.job.k);
	json_count(j, "N", o->crowd.job.n);
	json_count(j, "tasks", o->crowd.job.tasks);
	json_end(j);
	json_array(j, "scenarios");
}

static void print_heading(const struct options *o, const struct rocket_device_info *d)
{
	const struct client_job *job = &o->crowd.job;

	printf("device: %s, %s %s, %s, %u cores%s\n", d->path, d->provider, d->driver_version,
	       d->chip, d->cores,
	       is_simulated(d) ? "; simulated: times are of this machine, not of an NPU" : "");
	printf("job: fp16 %u x %u x %u (M x K x N), %u task%s; every element compared with the "
	       "CPU's\n",
	       job->m, job->k, job->n, job->tasks, job->tasks > 1 ? "s, chained" : "");
}

/* ---- the command line ---- */

static const char help[] =
	"usage: %s [options]\n"
	"\n"
	"What each of many clients of the NPU that ROCKET_DEVICE names gets.\n"
	"\n"
	"  -c, --clients N       how many, 1 to 64 (16)\n"
	"  -s, --seconds S       how long each scenario runs (2)\n"
	"  -t, --tasks N         tasks of a job, chained, 1 to 64 (1)\n"
	"  -C, --chain N         tasks of the jobs of heavy clients (16)\n"
	"  -S, --shape M,K,N     of a task (4,32,16); M and K multiples of 4 and 32, N of 16,\n"
	"                        one tile; K at most 512\n"
	"  -o, --only SCENARIO   alone, files, file, processes or heavy\n"
	"  -g, --give-up S       when no job has ended for so long (60)\n"
	"  -j, --json\n"
	"  -h, --help\n";

static bool is_scenario(const char *name)
{
	for (unsigned i = 0; i < SCENARIOS; i++)
		if (!strcmp(scenarios[i].name, name))
			return true;
	return false;
}

static unsigned number(const char *text, unsigned most)
{
	long n;

	if (!number_whole(text, 1, most, &n)) {
		fprintf(stderr, "clients: %s is not a number of 1 to %u\n", text, most);
		exit(2);
	}
	return (unsigned)n;
}

static void parse_shape(struct client_job *job, const char *text)
{
	char rest;

	if (sscanf(text, "%u,%u,%u%c", &job->m, &job->k, &job->n, &rest) != 3 ||
	    !client_takes(job)) {
		fprintf(stderr,
			"clients: %s is not a shape M,K,N: multiples of 4, 32 and 16, up to %u, %u "
			"and %u\n",
			text, CLIENT_M_MAX, CLIENT_K_MAX, CLIENT_N_MAX);
		exit(2);
	}
}

static uint64_t nanoseconds(const char *text)
{
	double seconds;

	if (!number_real(text, 1e-9, 3600, &seconds)) {
		fprintf(stderr, "clients: %s is not a time of up to 3600 seconds\n", text);
		exit(2);
	}
	return (uint64_t)(seconds * 1e9);
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "clients", required_argument, NULL, 'c' },
		{ "seconds", required_argument, NULL, 's' },
		{ "tasks", required_argument, NULL, 't' },
		{ "chain", required_argument, NULL, 'C' },
		{ "shape", required_argument, NULL, 'S' },
		{ "only", required_argument, NULL, 'o' },
		{ "give-up", required_argument, NULL, 'g' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "c:s:t:C:S:o:g:jh", names, NULL)) != -1) {
		switch (c) {
		case 'c':
			o->crowd.members = number(optarg, CROWD_MAX);
			break;
		case 's':
			o->crowd.duration_ns = nanoseconds(optarg);
			break;
		case 't':
			o->crowd.job.tasks = number(optarg, CLIENT_CHAIN_MAX);
			break;
		case 'C':
			o->chain = number(optarg, CLIENT_CHAIN_MAX);
			break;
		case 'S':
			parse_shape(&o->crowd.job, optarg);
			break;
		case 'o':
			o->only = optarg;
			break;
		case 'g':
			o->crowd.stall_ns = nanoseconds(optarg);
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			printf(help, argv[0]);
			exit(0);
		default:
			exit(2);
		}
	}
	if (optind < argc || (o->only && !is_scenario(o->only))) {
		fprintf(stderr, "clients: %s is not understood (--help tells more)\n",
			optind < argc ? argv[optind] : o->only);
		exit(2);
	}
}

static void complain(const struct scenario *s, const struct crowd *c, enum crowd_end how,
		     const struct crowd_member *members)
{
	for (unsigned i = 0; i < c->members; i++)
		if (members[i].why[0])
			fprintf(stderr, "clients: %s: client %u: %s\n", s->name, i, members[i].why);
	if (how == CROWD_STALLED)
		fprintf(stderr, "clients: %s: no job ended for %g s\n", s->name,
			(double)c->stall_ns / 1e9);
}

/* Of threads that are stuck nothing can be freed, nor their device be used any more. */
static void leave_stuck(struct json *j, const struct options *o)
{
	if (o->json)
		json_finish(j);
	fflush(stdout);
	_Exit(1);
}

int main(int argc, char **argv)
{
	struct options o = { .crowd = { .members = 16,
					.job = { 4, 32, 16, 1 },
					.duration_ns = UINT64_C(2000000000),
					.stall_ns = UINT64_C(60000000000),
					.timeout_ns = UINT64_C(60000000000) },
			     .chain = 16 };
	struct crowd_member *members;
	struct rocket_device_info device;
	struct json json;
	int status = 0;

	parse(&o, argc, argv);
	if (!look(&device))
		return 1;
	members = crowd_members(CROWD_MAX);
	if (!members) {
		fprintf(stderr, "clients: no memory\n");
		return 1;
	}
	if (o.json)
		begin_json(&json, &o, &device);
	else
		print_heading(&o, &device);
	for (unsigned i = 0; i < SCENARIOS; i++) {
		const struct scenario *s = &scenarios[i];
		const struct crowd c = crowd_of(&o, s);
		enum crowd_end how;

		if (o.only && strcmp(o.only, s->name))
			continue;
		how = crowd_run(&c, members);
		if (how != CROWD_DONE) {
			status = 1;
			complain(s, &c, how, members);
			if (o.json)
				write_failure(&json, s, &c, how, members);
			if (how == CROWD_STALLED)
				leave_stuck(&json, &o);
			continue;
		}
		if (o.json)
			write_scenario(&json, s, &c, &device, members);
		else
			print_scenario(s, &c, &device, members);
		status |= sum(members, c.members)->wrong != 0;
	}
	if (o.json)
		json_finish(&json);
	crowd_members_free(members, CROWD_MAX);
	return printed("clients", status);
}

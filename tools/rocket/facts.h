/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * facts.h - what the kernel of this machine says of its NPU, as values.
 *
 * facts_read() is all that looks at the machine; whatever is printed, refused or advised
 * follows from the struct alone.
 */
#ifndef TOOLS_ROCKET_FACTS_H
#define TOOLS_ROCKET_FACTS_H

#include "sysfile.h"

/* Parameters of the module, and with that which parts of the package's series it has. */
enum parameter {
	PARAMETER_HZ,
	PARAMETER_FORCE,
	PARAMETER_UV,
	PARAMETER_AUTOSUSPEND,
	PARAMETER_TIMEOUT,
	PARAMETER_BATCH,
	PARAMETER_MAX_JOBS,
	PARAMETER_MULTICORE,
	PARAMETERS,
};

/* Its name, and its file. */
const char *parameter_name(enum parameter p);
const char *parameter_path(char buf[TEXT_MAX], enum parameter p);

struct module_facts {
	bool loaded;
	bool builtin;
	struct text_fact version; /* of the package; the kernel's own driver has none */
	struct text_fact srcversion;
	struct number_fact references;
	struct text_fact parameters[PARAMETERS];
	bool writable; /* may this process set the clock */
	/* Not loaded: */
	struct text_fact installed;   /* path below /lib/modules/RELEASE */
	struct text_fact blacklisted; /* file that says so */
};

#define CORES_MAX 8

struct core_facts {
	char device[TEXT_MAX]; /* fdab0000.npu */
	int number;            /* of the core in hardware, -1 unknown */
	bool bound;            /* to the driver */
	bool rk3576;
	bool npu_supply;
	struct number_fact waiting; /* 1: a supplier in its device tree node has no driver yet */
	struct text_fact deferred;  /* reason of the probe that was put off */
	struct text_fact status, control; /* runtime power management */
	struct number_fact autosuspend_ms, active_ms, suspended_ms;
	/* From the driver's debugfs file. */
	bool counted;
	unsigned long long kicks, jobs, failed, busy_ns;
};

#define TREE_NODES_MAX 8

/* A core in the device tree, whether it became a device or not. */
struct tree_node {
	char name[TEXT_MAX];
	bool disabled;
	bool mmu_disabled;
};

struct rail_facts {
	struct text_fact name, state;
	struct number_fact uv, max_uv;
};

#define CLOCKS_MAX 8

struct clock_facts {
	char name[TEXT_MAX];
	struct number_fact hz, enabled;
};

#define NODES_MAX 4

/* An accel node of this driver. */
struct node_facts {
	char path[TEXT_MAX]; /* /dev/accel/accel0 */
	bool exists, usable;
	char group[TEXT_MAX];
};

#define USERS_MAX   32
#define ENGINES_MAX 3

struct user_facts {
	long pid;
	char command[TEXT_MAX];
	bool counted; /* the driver tells what the file used */
	unsigned long long client, busy_ns[ENGINES_MAX], memory;
};

struct npu_facts {
	struct text_fact board, release;
	struct module_facts module;
	bool vendor_driver; /* rknpu */

	struct tree_node tree[TREE_NODES_MAX];
	unsigned tree_count;
	bool device_tree;

	struct core_facts cores[CORES_MAX];
	unsigned core_count;
	enum known deferrals; /* whether the list of them could be read */

	struct rail_facts rail;
	struct number_fact millidegrees;
	struct clock_facts clocks[CLOCKS_MAX];
	unsigned clock_count;

	/* The driver's debugfs file. */
	enum known driver_file;
	struct number_fact request_hz, raised_hz, rail_uv;

	struct node_facts nodes[NODES_MAX];
	unsigned node_count;

	struct user_facts users[USERS_MAX];
	unsigned user_count, users_more, processes_hidden;
};

void facts_read(struct npu_facts *facts, const char *root);

/* Parts of it (facts_board.c, facts_users.c). */
void facts_read_board(struct npu_facts *facts, const char *root);
void facts_read_users(struct npu_facts *facts, const char *root);

/* ---- what follows from the facts alone ---- */

/* The number in a parameter's file; false when it holds none. */
bool facts_parameter(const struct npu_facts *facts, enum parameter p, unsigned long long *value);
/* The driver can be told the rate. */
bool facts_have_lever(const struct npu_facts *facts);
unsigned facts_cores_bound(const struct npu_facts *facts);
/* Bound cores in this state of runtime power management. */
unsigned facts_cores_in(const struct npu_facts *facts, const char *status);
bool facts_any_pinned(const struct npu_facts *facts);
/* Volts of the rail, whoever told them; 0 when nobody did. */
long long facts_rail_uv(const struct npu_facts *facts);
/* The request that is in force, as far as it can be known. */
struct number_fact facts_request(const struct npu_facts *facts);

#endif

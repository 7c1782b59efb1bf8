// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts.h"

#define MODULE "/sys/module/rocket"

static const char *const parameter_names[PARAMETERS] = {
	[PARAMETER_HZ] = "rocket_npu_clk_hz",     [PARAMETER_FORCE] = "rocket_npu_clk_force",
	[PARAMETER_UV] = "rocket_npu_uv",         [PARAMETER_AUTOSUSPEND] = "rocket_autosuspend_ms",
	[PARAMETER_TIMEOUT] = "job_timeout_ms",   [PARAMETER_BATCH] = "rocket_batch_submit",
	[PARAMETER_MAX_JOBS] = "rocket_max_jobs", [PARAMETER_MULTICORE] = "rocket_multicore",
};

const char *parameter_name(enum parameter p)
{
	return parameter_names[p];
}

const char *parameter_path(char buf[TEXT_MAX], enum parameter p)
{
	snprintf(buf, TEXT_MAX, MODULE "/parameters/%s", parameter_names[p]);
	return buf;
}

/* ---- the module ---- */

/* "FILE:" of modules.dep, or the line of modules.builtin, that is the driver. */
static bool names_the_driver(char *line)
{
	char *end = line + strcspn(line, ":\n");
	const char *slash;

	*end = '\0';
	slash = strrchr(line, '/');
	return slash && (!strcmp(slash, "/rocket.ko") || !strncmp(slash, "/rocket.ko.", 11));
}

static struct text_fact find_in_list(const char *root, const char *release, const char *list)
{
	struct text_fact fact = { 0 };
	char line[4096];
	bool whole = true;
	FILE *stream;

	stream = sysfile_stream(root, &fact.known, "/lib/modules/%s/%s", release, list);
	if (!stream && fact.known == NOT_THERE)
		fact.known = NOT_USABLE;
	if (!stream)
		return fact;
	/* A list without it. */
	fact.known = NOT_THERE;
	while (fact.known != KNOWN && fgets(line, sizeof(line), stream)) {
		bool start = whole;

		whole = strchr(line, '\n');
		if (!start || !names_the_driver(line))
			continue;
		fact.known = KNOWN;
		sysfile_printable(fact.text, sizeof(fact.text), line);
	}
	fclose(stream);
	return fact;
}

struct blacklist_search {
	const char *root, *folder;
	struct text_fact *found;
};

static bool look_for_blacklist(void *user, const char *name)
{
	struct blacklist_search *search = user;
	size_t length = strlen(name);
	char line[512], word[2][64];
	enum known known;
	FILE *stream;

	if (length < 5 || strcmp(name + length - 5, ".conf"))
		return true;
	stream = sysfile_stream(search->root, &known, "%s/%s", search->folder, name);
	if (!stream)
		return true;
	while (fgets(line, sizeof(line), stream)) {
		if (sscanf(line, "%63s %63s", word[0], word[1]) == 2 &&
		    !strcmp(word[0], "blacklist") && !strcmp(word[1], "rocket")) {
			search->found->known = KNOWN;
			snprintf(search->found->text, TEXT_MAX, "%s/%.80s", search->folder, name);
			break;
		}
	}
	fclose(stream);
	return search->found->known != KNOWN;
}

static void read_blacklist(struct npu_facts *facts, const char *root)
{
	static const char *const folders[] = { "/etc/modprobe.d", "/run/modprobe.d",
					       "/usr/lib/modprobe.d", "/lib/modprobe.d" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct blacklist_search search = { root, folders[i], &facts->module.blacklisted };

		if (facts->module.blacklisted.known != KNOWN)
			sysfile_each(root, look_for_blacklist, &search, "%s", folders[i]);
	}
}

static void read_module(struct npu_facts *facts, const char *root)
{
	struct module_facts *m = &facts->module;
	char path[TEXT_MAX];

	m->loaded = sysfile_allows(root, F_OK, MODULE) ||
		    sysfile_allows(root, F_OK, "/sys/bus/platform/drivers/rocket");
	/* Only what was loaded has a state of loading. */
	m->builtin = m->loaded && !sysfile_allows(root, F_OK, MODULE "/initstate");
	if (!m->loaded) {
		const char *release = facts->release.text;

		if (facts->release.known == KNOWN && !strchr(release, '/')) {
			m->installed = find_in_list(root, release, "modules.dep");
			m->builtin = find_in_list(root, release, "modules.builtin").known == KNOWN;
		}
		read_blacklist(facts, root);
		return;
	}
	m->version = sysfile_text(root, MODULE "/version");
	m->srcversion = sysfile_text(root, MODULE "/srcversion");
	m->references = sysfile_number(root, MODULE "/refcnt");
	for (enum parameter p = 0; p < PARAMETERS; p++)
		m->parameters[p] = sysfile_text(root, "%s", parameter_path(path, p));
	m->writable = sysfile_allows(root, W_OK, "%s", parameter_path(path, PARAMETER_HZ));
}

/* ---- the driver's debugfs file ---- */

static struct core_facts *core_numbered(struct npu_facts *facts, int number)
{
	for (unsigned i = 0; i < facts->core_count; i++)
		if (facts->cores[i].number == number)
			return &facts->cores[i];
	return NULL;
}

static void parse_number(struct number_fact *fact, const char *text)
{
	char *end;

	errno = 0;
	fact->value = strtoll(text, &end, 10);
	fact->known = errno || end == text || (*end && *end != '\n') ? NOT_USABLE : KNOWN;
	if (fact->known != KNOWN)
		fact->value = 0;
}

static void parse_driver_line(struct npu_facts *facts, const char *line)
{
	struct core_facts *core, read = { 0 };
	char state[16];
	int number;

	if (!strncmp(line, "clock_request_hz: ", 18)) {
		parse_number(&facts->request_hz, line + 18);
	} else if (!strncmp(line, "clock_raised_hz: ", 17)) {
		parse_number(&facts->raised_hz, line + 17);
	} else if (!strncmp(line, "rail_uv: ", 9)) {
		parse_number(&facts->rail_uv, line + 9);
	} else if (sscanf(line, "core%3d: %15s kicks=%llu jobs=%llu failed=%llu busy_ns=%llu",
			  &number, state, &read.kicks, &read.jobs, &read.failed,
			  &read.busy_ns) == 6) {
		core = core_numbered(facts, number);
		if (!core)
			return;
		core->counted = true;
		core->kicks = read.kicks;
		core->jobs = read.jobs;
		core->failed = read.failed;
		core->busy_ns = read.busy_ns;
	}
}

/* Kernels name the folder by the number of the node or by the device. */
static enum known find_driver_file(const char *root, const char *minor, char *text, size_t size)
{
	const char *const folders[] = { "accel", "dri" }, *const names[] = { minor, "rknn" };
	enum known known = NOT_THERE;

	for (unsigned i = 0; i < 4 && known == NOT_THERE; i++)
		known = sysfile_bytes(root, text, size, NULL, "/sys/kernel/debug/%s/%s/npu",
				      folders[i / 2], names[i % 2]);
	return known;
}

static void read_driver_file(struct npu_facts *facts, const char *root, const char *minor)
{
	char text[4096];

	facts->driver_file = find_driver_file(root, minor, text, sizeof(text));
	for (char *line = text; facts->driver_file == KNOWN && line && *line;) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		parse_driver_line(facts, line);
		line = end ? end + 1 : NULL;
	}
}

/* ---- nodes ---- */

static void read_node(struct npu_facts *facts, const char *root, const char *name)
{
	struct node_facts *node = &facts->nodes[facts->node_count];
	char full[PATH_MAX];
	struct stat st;

	/* The driver has one facade device for all cores. */
	if (strcmp(sysfile_link(root, "/sys/class/accel/%s/device", name).text, "rknn"))
		return;
	snprintf(node->path, sizeof(node->path), "/dev/accel/%.64s", name);
	facts->node_count++;
	node->exists =
		(size_t)snprintf(full, sizeof(full), "%s%s", root, node->path) < sizeof(full) &&
		!stat(full, &st);
	if (node->exists) {
		const struct group *group = getgrgid(st.st_gid);

		node->usable = sysfile_allows(root, R_OK | W_OK, "%s", node->path);
		sysfile_printable(node->group, sizeof(node->group), group ? group->gr_name : "");
	}
	read_driver_file(facts, root, name + strlen("accel"));
}

struct node_search {
	struct npu_facts *facts;
	const char *root;
};

static bool look_at_node(void *user, const char *name)
{
	struct node_search *search = user;

	if (!strncmp(name, "accel", 5))
		read_node(search->facts, search->root, name);
	return search->facts->node_count < NODES_MAX;
}

/* ---- clocks ---- */

static void read_clocks(struct npu_facts *facts, const char *root)
{
	/* The one that sets the rate, then what the cores' registers and memory ports run on. */
	static const char *const names[CLOCKS_MAX] = {
		"scmi_clk_npu", "aclk_npu0", "hclk_npu0", "aclk_npu1",
		"hclk_npu1",    "aclk_npu2", "hclk_npu2", "pclk_npu_root",
	};

	for (size_t i = 0; i < CLOCKS_MAX; i++) {
		struct clock_facts *c = &facts->clocks[facts->clock_count];

		c->hz = sysfile_number(root, "/sys/kernel/debug/clk/%s/clk_rate", names[i]);
		if (c->hz.known == NOT_THERE || c->hz.known == NOT_OURS)
			continue;
		c->enabled =
			sysfile_number(root, "/sys/kernel/debug/clk/%s/clk_enable_count", names[i]);
		snprintf(c->name, sizeof(c->name), "%s", names[i]);
		facts->clock_count++;
	}
}

void facts_read(struct npu_facts *facts, const char *root)
{
	struct node_search search = { facts, root };

	memset(facts, 0, sizeof(*facts));
	facts->release = sysfile_text(root, "/proc/sys/kernel/osrelease");
	facts->vendor_driver = sysfile_allows(root, F_OK, "/sys/bus/platform/drivers/RKNPU");
	read_module(facts, root);
	facts_read_board(facts, root);
	sysfile_each(root, look_at_node, &search, "/sys/class/accel");
	read_clocks(facts, root);
	facts_read_users(facts, root);
}

/* ---- what follows ---- */

bool facts_parameter(const struct npu_facts *facts, enum parameter p, unsigned long long *value)
{
	const struct text_fact *fact = &facts->module.parameters[p];
	char *end;

	if (fact->known != KNOWN || fact->text[0] < '0' || fact->text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(fact->text, &end, 10);
	return !errno && !*end;
}

bool facts_have_lever(const struct npu_facts *facts)
{
	return facts->module.parameters[PARAMETER_HZ].known != NOT_THERE;
}

unsigned facts_cores_bound(const struct npu_facts *facts)
{
	unsigned count = 0;

	for (unsigned i = 0; i < facts->core_count; i++)
		count += facts->cores[i].bound;
	return count;
}

unsigned facts_cores_in(const struct npu_facts *facts, const char *status)
{
	unsigned count = 0;

	for (unsigned i = 0; i < facts->core_count; i++)
		count += facts->cores[i].bound && !strcmp(facts->cores[i].status.text, status);
	return count;
}

bool facts_any_pinned(const struct npu_facts *facts)
{
	for (unsigned i = 0; i < facts->core_count; i++)
		if (facts->cores[i].bound && !strcmp(facts->cores[i].control.text, "on"))
			return true;
	return false;
}

long long facts_rail_uv(const struct npu_facts *facts)
{
	return facts->rail.uv.known == KNOWN ? facts->rail.uv.value : facts->rail_uv.value;
}

struct number_fact facts_request(const struct npu_facts *facts)
{
	if (facts->request_hz.known == KNOWN)
		return facts->request_hz;
	for (unsigned i = 0; i < facts->clock_count; i++)
		if (!strcmp(facts->clocks[i].name, "scmi_clk_npu"))
			return facts->clocks[i].hz;
	return facts->request_hz;
}

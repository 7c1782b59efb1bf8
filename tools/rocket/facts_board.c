// SPDX-License-Identifier: LGPL-2.1-or-later
/* The NPU as the device tree, the platform bus and the regulators know it. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"

#define TREE "/sys/firmware/devicetree/base"
#define BUS  "/sys/bus/platform/devices"

struct search {
	struct npu_facts *facts;
	const char *root;
	uint32_t handle;      /* looked for */
	char found[PATH_MAX]; /* folder that has it */
	const char *folder;
	unsigned depth;
};

/* Whether a list of strings that end with a zero has one with this in it. */
static bool compatible_with(const char *root, const char *node, const char *part)
{
	char list[512];
	size_t length;

	if (sysfile_bytes(root, list, sizeof(list), &length, "%s/compatible", node) != KNOWN)
		return false;
	for (size_t at = 0; at < length; at += strlen(list + at) + 1)
		if (strstr(list + at, part))
			return true;
	return false;
}

static bool is_core(const char *root, const char *node)
{
	return compatible_with(root, node, "-rknn-core");
}

static bool is_disabled(const char *root, const char *node)
{
	struct text_fact status = sysfile_text(root, "%s/status", node);

	return status.known == KNOWN && strncmp(status.text, "ok", 2);
}

/* The first cell of a property. */
static bool read_cell(const char *root, const char *node, const char *property, uint32_t *cell)
{
	char buf[64];
	const unsigned char *b = (const unsigned char *)buf;
	size_t length;

	if (sysfile_bytes(root, buf, sizeof(buf), &length, "%s/%s", node, property) != KNOWN ||
	    length < 4)
		return false;
	*cell = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return true;
}

/* ---- the device tree ---- */

static bool look_for_handle(void *user, const char *name)
{
	struct search *s = user, below = *s;
	char folder[PATH_MAX];
	uint32_t handle;

	/* IOMMUs stand at the top, or below one bus. */
	if (!strchr(name, '@') && strcmp(name, "soc"))
		return true;
	if ((size_t)snprintf(folder, sizeof(folder), "%s/%s", s->folder, name) >= sizeof(folder))
		return true;
	if (read_cell(s->root, folder, "phandle", &handle) && handle == s->handle) {
		strcpy(s->found, folder);
		return false;
	}
	if (s->depth)
		return true;
	below.folder = folder;
	below.depth = 1;
	sysfile_each(s->root, look_for_handle, &below, "%s", folder);
	strcpy(s->found, below.found);
	return !s->found[0];
}

static bool mmu_is_disabled(struct npu_facts *facts, const char *root, const char *node)
{
	struct search s = { .facts = facts, .root = root, .folder = TREE };

	if (!read_cell(root, node, "iommus", &s.handle))
		return false;
	sysfile_each(root, look_for_handle, &s, TREE);
	return s.found[0] && is_disabled(root, s.found);
}

static bool look_at_tree(void *user, const char *name)
{
	struct search *s = user, below = *s;
	struct npu_facts *facts = s->facts;
	char folder[PATH_MAX];

	if ((size_t)snprintf(folder, sizeof(folder), "%s/%s", s->folder, name) >= sizeof(folder))
		return true;
	if (!strncmp(name, "npu@", 4) && is_core(s->root, folder)) {
		struct tree_node *node = &facts->tree[facts->tree_count++];

		sysfile_printable(node->name, sizeof(node->name), name);
		node->disabled = is_disabled(s->root, folder);
		node->mmu_disabled = mmu_is_disabled(facts, s->root, folder);
	} else if (!s->depth && !strcmp(name, "soc")) {
		below.folder = folder;
		below.depth = 1;
		sysfile_each(s->root, look_at_tree, &below, "%s", folder);
	}
	return facts->tree_count < TREE_NODES_MAX;
}

/* ---- devices ---- */

/* Where the device tree node of a device is to be found. */
static struct text_fact name_of_node(const char *device)
{
	struct text_fact path = { KNOWN, "" };

	snprintf(path.text, sizeof(path.text), BUS "/%.64s/of_node", device);
	return path;
}

/* The place of a core in hardware, by the address of its registers. */
static int core_number(const char *device)
{
	static const struct {
		unsigned long address;
		int number;
	} places[] = { { 0xfdab0000, 0 },
		       { 0xfdac0000, 1 },
		       { 0xfdad0000, 2 },
		       { 0x27700000, 0 },
		       { 0x27708000, 1 } };
	unsigned long address = strtoul(device, NULL, 16);

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].address == address)
			return places[i].number;
	return -1;
}

/* "DEVICE<tab>DRIVER: REASON" in the list of those that wait. */
static void read_deferral(struct npu_facts *facts, const char *root, struct core_facts *core)
{
	size_t length = strlen(core->device);
	char line[512];
	FILE *stream =
		sysfile_stream(root, &facts->deferrals, "/sys/kernel/debug/devices_deferred");

	if (!stream)
		return;
	while (fgets(line, sizeof(line), stream)) {
		if (strncmp(line, core->device, length) || !strchr(" \t\n", line[length]))
			continue;
		core->deferred.known = KNOWN;
		sysfile_printable(core->deferred.text, sizeof(core->deferred.text),
				  line + length + strspn(line + length, " \t"));
	}
	fclose(stream);
}

static void read_core(struct npu_facts *facts, const char *root, const char *name)
{
	struct core_facts *core = &facts->cores[facts->core_count++];

	sysfile_printable(core->device, sizeof(core->device), name);
	core->number = core_number(name);
	core->rk3576 = compatible_with(root, name_of_node(name).text, "rk3576");
	core->npu_supply = sysfile_allows(root, F_OK, BUS "/%s/of_node/npu-supply", name);
	core->bound = !strcmp(sysfile_link(root, BUS "/%s/driver", name).text, "rocket");
	core->waiting = sysfile_number(root, BUS "/%s/waiting_for_supplier", name);
	core->status = sysfile_text(root, BUS "/%s/power/runtime_status", name);
	core->control = sysfile_text(root, BUS "/%s/power/control", name);
	core->autosuspend_ms = sysfile_number(root, BUS "/%s/power/autosuspend_delay_ms", name);
	core->active_ms = sysfile_number(root, BUS "/%s/power/runtime_active_time", name);
	core->suspended_ms = sysfile_number(root, BUS "/%s/power/runtime_suspended_time", name);
	read_deferral(facts, root, core);
}

static bool look_at_device(void *user, const char *name)
{
	struct search *s = user;

	if (strstr(name, ".npu") && strlen(name) < TEXT_MAX / 2 &&
	    is_core(s->root, name_of_node(name).text))
		read_core(s->facts, s->root, name);
	return s->facts->core_count < CORES_MAX;
}

/* ---- the rail, the temperature ---- */

static bool look_at_regulator(void *user, const char *name)
{
	static const char folder[] = "/sys/class/regulator";
	struct search *s = user;
	struct rail_facts *rail = &s->facts->rail;
	char node[TEXT_MAX];
	uint32_t handle;

	snprintf(node, sizeof(node), "%s/%.64s/of_node", folder, name);
	if (!read_cell(s->root, node, "phandle", &handle) || handle != s->handle)
		return true;
	rail->name = sysfile_text(s->root, "%s/%s/name", folder, name);
	rail->state = sysfile_text(s->root, "%s/%s/state", folder, name);
	rail->uv = sysfile_number(s->root, "%s/%s/microvolts", folder, name);
	rail->max_uv = sysfile_number(s->root, "%s/%s/max_microvolts", folder, name);
	return false;
}

static void read_rail(struct npu_facts *facts, const char *root)
{
	struct search s = { .facts = facts, .root = root };

	for (unsigned i = 0; i < facts->core_count; i++) {
		if (!read_cell(root, name_of_node(facts->cores[i].device).text, "npu-supply",
			       &s.handle))
			continue;
		sysfile_each(root, look_at_regulator, &s, "/sys/class/regulator");
		return;
	}
}

static bool look_at_zone(void *user, const char *name)
{
	static const char folder[] = "/sys/class/thermal";
	struct search *s = user;

	if (strcmp(sysfile_text(s->root, "%s/%s/type", folder, name).text, "npu-thermal"))
		return true;
	s->facts->millidegrees = sysfile_number(s->root, "%s/%s/temp", folder, name);
	return false;
}

void facts_read_board(struct npu_facts *facts, const char *root)
{
	struct search s = { .facts = facts, .root = root, .folder = TREE };

	facts->board = sysfile_text(root, TREE "/model");
	facts->device_tree = sysfile_each(root, look_at_tree, &s, TREE) == KNOWN;
	sysfile_each(root, look_at_device, &s, BUS);
	read_rail(facts, root);
	sysfile_each(root, look_at_zone, &s, "/sys/class/thermal");
}

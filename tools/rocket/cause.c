// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <string.h>

#include "cause.h"

struct list {
	struct cause *causes;
	unsigned count;
};

static void add(struct list *list, const char *code, const char *next, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void add(struct list *list, const char *code, const char *next, const char *fmt, ...)
{
	struct cause *cause = &list->causes[list->count];
	va_list ap;

	if (list->count == CAUSES_MAX)
		return;
	list->count++;
	cause->code = code;
	snprintf(cause->next, sizeof(cause->next), "%s", next);
	va_start(ap, fmt);
	vsnprintf(cause->text, sizeof(cause->text), fmt, ap);
	va_end(ap);
}

/* ---- there is a node ---- */

static bool find_at_nodes(struct list *list, const struct npu_facts *facts)
{
	char next[sizeof(list->causes->next)];

	for (unsigned i = 0; i < facts->node_count; i++) {
		const struct node_facts *node = &facts->nodes[i];

		if (node->exists && node->usable)
			continue;
		if (!node->exists) {
			add(list, "node_missing",
			    "in a container, pass the node in; else see whether udev runs",
			    "the driver has made %s, but it is not in /dev here", node->path);
			continue;
		}
		snprintf(next, sizeof(next),
			 "sudo usermod -aG %s $USER, then log in again; or use sudo -E",
			 node->group[0] ? node->group : "render");
		add(list, "no_permission", next, "%s may not be opened by this user (group %s)",
		    node->path, node->group[0] ? node->group : "unknown");
	}
	return list->count || facts->node_count;
}

/* ---- there is no driver ---- */

static void find_at_module(struct list *list, const struct npu_facts *facts)
{
	const struct module_facts *m = &facts->module;
	const char *release = facts->release.known == KNOWN ? facts->release.text : "this kernel";

	if (facts->vendor_driver)
		add(list, "vendor_driver",
		    "boot a mainline kernel, 7.2 or later, with the rocket driver",
		    "the vendor's rknpu driver has the NPU; this build has no provider for it");
	else if (m->builtin)
		add(list, "built_in_not_started", "dmesg | grep -i rocket",
		    "the driver is built into %s but did not start", release);
	else if (m->blacklisted.known == KNOWN)
		add(list, "module_blacklisted", "remove that line, or: sudo modprobe rocket",
		    "%s keeps the module from being loaded by itself", m->blacklisted.text);
	else if (m->installed.known == KNOWN)
		add(list, "module_not_loaded", "sudo modprobe rocket",
		    "the module is installed (%s) but not loaded", m->installed.text);
	else if (m->installed.known == NOT_THERE)
		add(list, "module_not_installed",
		    "sudo apt install rocket-npu-dkms, or a kernel with CONFIG_DRM_ACCEL_ROCKET",
		    "no module 'rocket' is installed for %s", release);
	else
		add(list, "module_unknown", "modinfo rocket",
		    "the module is not loaded; the list of modules of %s cannot be read", release);
}

/* ---- there is a driver, but nothing for it ---- */

static void find_at_tree(struct list *list, const struct npu_facts *facts)
{
	unsigned disabled = 0;

	for (unsigned i = 0; i < facts->tree_count; i++)
		disabled += facts->tree[i].disabled;
	if (facts->tree_count && disabled == facts->tree_count)
		add(list, "nodes_disabled",
		    "enable them, their IOMMUs and supplies with an overlay, as "
		    "patches/example-board.dtso of the package has it",
		    "the device tree has %u NPU core%s, all of them disabled", disabled,
		    disabled == 1 ? "" : "s");
	for (unsigned i = 0; i < facts->tree_count; i++)
		if (!facts->tree[i].disabled && facts->tree[i].mmu_disabled) {
			add(list, "iommu_disabled",
			    "set status = \"okay\" on the iommu@ nodes of the cores too",
			    "the IOMMU of %s is disabled in the device tree", facts->tree[i].name);
			break;
		}
}

static void find_at_cores(struct list *list, const struct npu_facts *facts)
{
	static const char see_log[] = "dmesg | grep -iE 'rocket|rknn|npu'";
	unsigned before = list->count;

	for (unsigned i = 0; i < facts->core_count && list->count < CAUSES_MAX; i++) {
		const struct core_facts *core = &facts->cores[i];
		bool supply = strstr(core->deferred.text, "suppl") ||
			      (core->waiting.known == KNOWN && core->waiting.value == 1);

		if (core->bound)
			continue;
		if (core->deferred.known == KNOWN)
			add(list, supply ? "deferred_supplier" : "deferred",
			    supply ? "load or build in the driver of that supplier (regulator, "
				     "clock, power domain, IOMMU)"
				   : see_log,
			    "%s waits: its probe was put off%s%s", core->device,
			    core->deferred.text[0] ? ": " : ", no reason given",
			    core->deferred.text);
		else if (supply)
			add(list, "deferred_supplier",
			    "sudo cat /sys/kernel/debug/devices_deferred names it; load its driver",
			    "%s waits for a supplier that has no driver yet", core->device);
	}
	if (list->count == before && facts->core_count && !facts_cores_bound(facts))
		add(list, "probe_failed",
		    facts->deferrals == NOT_OURS ? "run this as root to see whether it waits; "
						   "dmesg | grep -iE 'rocket|rknn|npu'"
						 : see_log,
		    "%s is there, but the driver did not take it", facts->cores[0].device);
}

unsigned causes_find(struct cause causes[CAUSES_MAX], const struct npu_facts *facts)
{
	struct list list = { causes, 0 };

	if (find_at_nodes(&list, facts)) {
		if (!list.count)
			add(&list, "open_failed", "dmesg | grep -i rocket",
			    "the driver has made %s, yet it cannot be opened",
			    facts->nodes[0].path);
		return list.count;
	}
	if (!facts->device_tree || (!facts->tree_count && !facts->core_count))
		add(&list, "no_npu",
		    facts->device_tree ? "take a device tree of this board for Linux 7.2 or later; "
					 "or ROCKET_DEVICE=sim for the simulated NPU"
				       : "ROCKET_DEVICE=sim asks for the simulated NPU",
		    facts->device_tree ? "the device tree of this machine (%s) has no NPU that the "
					 "driver knows"
				       : "this machine has no device tree, so it is no board with "
					 "this NPU%.0s",
		    facts->board.text[0] ? facts->board.text : "no model named");
	else
		find_at_tree(&list, facts);
	if (!facts->module.loaded && (facts->tree_count || facts->core_count))
		find_at_module(&list, facts);
	else if (facts->module.loaded)
		find_at_cores(&list, facts);
	if (!list.count)
		add(&list, "unknown", "dmesg | grep -iE 'rocket|rknn|npu'",
		    "the driver is loaded, but it has made no node");
	return list.count;
}

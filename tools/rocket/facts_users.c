// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which processes have the NPU open, as /proc tells those who may know. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"

struct process {
	struct npu_facts *facts;
	const char *root;
	long pid;
};

static bool is_node(const struct npu_facts *facts, const char *name)
{
	for (unsigned i = 0; i < facts->node_count; i++)
		if (!strcmp(strrchr(facts->nodes[i].path, '/') + 1, name))
			return true;
	return false;
}

/* "1234 KiB", "56", "7 MiB" */
static unsigned long long parse_memory(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	end += strspn(end, " ");
	if (!strncmp(end, "KiB", 3))
		value <<= 10;
	else if (!strncmp(end, "MiB", 3))
		value <<= 20;
	return value;
}

static void parse_usage(struct user_facts *user, char *text)
{
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, ':');
		unsigned engine;

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		if (!strcmp(line, "drm-driver") && !strcmp(value, "rocket"))
			user->counted = true;
		else if (!strcmp(line, "drm-client-id"))
			user->client = strtoull(value, NULL, 10);
		else if (sscanf(line, "drm-engine-npu%1u", &engine) == 1 && engine < ENGINES_MAX)
			user->busy_ns[engine] = strtoull(value, NULL, 10);
		else if (!strncmp(line, "drm-total-", 10))
			user->memory += parse_memory(value);
	}
}

/* A file that was duplicated is one client. */
static bool is_known(const struct npu_facts *facts, const struct user_facts *user)
{
	for (unsigned i = 0; i < facts->user_count; i++) {
		const struct user_facts *other = &facts->users[i];

		if (other->pid == user->pid && (!user->counted || other->client == user->client))
			return true;
	}
	return false;
}

static bool look_at_fd(void *context, const char *name)
{
	struct process *p = context;
	struct user_facts user = { .pid = p->pid };
	char text[4096];

	if (!is_node(p->facts, sysfile_link(p->root, "/proc/%ld/fd/%s", p->pid, name).text))
		return true;
	if (sysfile_bytes(p->root, text, sizeof(text), NULL, "/proc/%ld/fdinfo/%s", p->pid, name) ==
	    KNOWN)
		parse_usage(&user, text);
	memcpy(user.command, sysfile_text(p->root, "/proc/%ld/comm", p->pid).text, TEXT_MAX);
	if (is_known(p->facts, &user))
		return true;
	if (p->facts->user_count < USERS_MAX)
		p->facts->users[p->facts->user_count++] = user;
	else
		p->facts->users_more++;
	return true;
}

static bool look_at_process(void *context, const char *name)
{
	struct process *p = context;
	char *end;

	p->pid = strtol(name, &end, 10);
	if (end == name || *end)
		return true;
	if (sysfile_each(p->root, look_at_fd, p, "/proc/%ld/fd", p->pid) == NOT_OURS)
		p->facts->processes_hidden++;
	return true;
}

void facts_read_users(struct npu_facts *facts, const char *root)
{
	struct process p = { .facts = facts, .root = root };

	if (facts->node_count)
		sysfile_each(root, look_at_process, &p, "/proc");
}

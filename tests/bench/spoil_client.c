// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands between clients and their jobs: with SPOIL "stall" the second job of a client never ends,
 * with "die" the process of one that runs it is killed.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/client.h"

enum client_outcome __real_client_run(struct client *client, uint64_t timeout_ns, uint64_t *took);
enum client_outcome __wrap_client_run(struct client *client, uint64_t timeout_ns, uint64_t *took);

enum client_outcome __wrap_client_run(struct client *client, uint64_t timeout_ns, uint64_t *took)
{
	static _Thread_local unsigned jobs;
	const char *spoil = getenv("SPOIL");

	if (spoil && jobs++ && !strcmp(spoil, "die"))
		raise(SIGKILL);
	while (spoil && jobs > 1 && !strcmp(spoil, "stall"))
		pause();
	return __real_client_run(client, timeout_ns, took);
}

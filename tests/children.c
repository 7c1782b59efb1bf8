// SPDX-License-Identifier: LGPL-2.1-or-later
/* children.c - see children.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "children.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZER_LOCKS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZER_LOCKS 1
#endif
#endif

bool test_child_may_start_threads(void)
{
#ifdef SANITIZER_LOCKS
	return false;
#else
	char byte = 1, copy = 0;
	struct iovec from = { &byte, 1 }, to = { &copy, 1 };

	/* The emulator can be told by a call that it lacks. */
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) >= 0 || errno != ENOSYS;
#endif
}

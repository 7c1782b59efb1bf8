#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does virt/evidence see in a test's output what it shows, and say so in its cells? TAP."""

import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
PATH = os.path.join(os.environ["top_srcdir"], "virt", "evidence")
LOADER = importlib.machinery.SourceFileLoader("evidence", PATH)
E = importlib.util.module_from_spec(importlib.util.spec_from_loader("evidence", LOADER))
LOADER.exec_module(E)


def seen(output, log=(), lost=None, verdict=0):
    result = E.RUN.Result()
    result.output = output.encode()
    result.log = list(log)
    result.lost = lost
    result.verdict = verdict
    return E.judge("x", result)


WARNING = "[   17.1] WARNING: drivers/gpu/drm/drm_mm.c:985 at drm_mm_takedown+0x2c/0x38, CPU#1: a/1"
KASAN = "[   17.1] BUG: KASAN: slab-use-after-free in __mutex_lock+0x1c/0x900"
PASSED, ABSENT = seen("ok 1 x\n"), seen("ok 1 x # SKIP no such thing\n")
FAILED = seen("# a.c:7: ret == 0: Invalid argument\nnot ok 1 x\n", verdict=1)
KNOWN = seen("# a.c:7: !ret: loading again: No such file\nok 1 x # XFAIL driver 0.0 does so\n")
WARNED = seen("ok 1 x\n", [WARNING])
DIED = seen("", [KASAN], lost="the machine does not answer")
VIOLATED = seen("", lost="the machine ended with status 3: rocket-board: violation: domain without rail")
UNKNOWN = seen("1..0 # SKIP no node\n", verdict=4)

CASES = {
    "test_that_passes_passed": PASSED.verdict == "passed",
    "test_that_is_skipped_is_absent": ABSENT.verdict == "absent",
    "test_that_fails_failed": (FAILED.verdict, FAILED.words) == ("failed", "Invalid argument"),
    "known_defect_failed": (KNOWN.verdict, KNOWN.words) == ("failed", "loading again: No such file"),
    "failure_alone_keeps_the_machine": not FAILED.harm and not PASSED.harm,
    "complaint_failed": (WARNED.verdict, WARNED.harm) == ("failed", True),
    "complaint_is_told_without_addresses":
        WARNED.words == "WARNING: drivers/gpu/drm/drm_mm.c:985 at drm_mm_takedown",
    "machine_that_is_lost_failed": (DIED.verdict, DIED.harm) == ("failed", True),
    "violation_is_named": VIOLATED.words == "violation: domain without rail",
    "program_that_found_no_node_is_lost": UNKNOWN.verdict == "lost",
    "cell_of_all_failed": E.tell([FAILED, FAILED]) == "fails: Invalid argument",
    "cell_of_some_failed": E.tell([FAILED, PASSED]) == "1 of 2 fail: Invalid argument",
    "cell_of_absent": E.tell([ABSENT, ABSENT]) == "absent",
    "cell_of_passed": E.tell([PASSED, ABSENT]) == "passes",
    "cell_of_lost": E.tell([UNKNOWN]).startswith("not run: "),
    "cell_names_a_use_after_free_first": E.tell([WARNED, DIED]).startswith("fails: BUG: KASAN"),
    "every_patch_of_the_table_is_read": len(E.read_rows()) >= 42
        and ("fault", "hang_is_told") in next(r for r in E.read_rows() if r.count == 32).tests,
}

print("1..%d" % len(CASES))
for number, (name, ok) in enumerate(CASES.items(), 1):
    print("%s %d - %s" % ("ok" if ok else "not ok", number, name))
sys.exit(0 if all(CASES.values()) else 1)

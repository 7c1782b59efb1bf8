#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stand-in for QEMU with the guest's agent in it, for tests/runner/runner.sh.

The commands are not run: each is a script of what the machine does, words with semicolons between.
"""

import os
import socket
import sys
import time

fd = int(next(a for a in sys.argv if a.startswith("socket,")).partition("fd=")[2])
port = socket.socket(fileno=fd).makefile("rwb", buffering=0)


def console(line):
    sys.stdout.write("[    1.000000] %s\r\n" % line)
    sys.stdout.flush()


def out(text):
    data = text.encode()
    port.write(b"out %d\n" % len(data) + data)


console("Booting Linux")
if os.environ.get("FAKE_BOOT") == "complains":
    console("WARNING: CPU: 0 PID: 1 at init/main.c:1")
if os.environ.get("FAKE_BOOT") == "dies":
    sys.stderr.write("no such machine\n")
    sys.exit(1)
port.write(b"ready\n")
while True:
    request = port.readline().split()
    if not request:
        break
    number, length = request[1].decode(), int(request[3])
    script = port.read(length).decode()
    console("rocket-vm: begin " + number)
    verdict = "0"
    for step in script.split(";"):
        word, _, rest = step.strip().partition(" ")
        if word == "say":
            out(rest + "\n")
        elif word == "kernel":
            console(rest)
        elif word == "mark":
            console("rocket selftest: " + "; expects: ".join(rest.split(",")))
        elif word == "end":
            verdict = rest
        elif word == "die":
            sys.stderr.write("rocket-board: violation: " + rest + "\n")
            sys.exit(3)
        elif word == "count":
            out("%s\n" % number)
        elif word == "memory":
            out(sys.argv[sys.argv.index("-m") + 1] + "\n")
        elif word == "sleep":
            time.sleep(float(rest))
    console("rocket-vm: end " + number)
    port.write(b"end %s\n" % verdict.encode())

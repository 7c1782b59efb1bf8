# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print the public functions that their header does not explain.

A function is explained by a comment of its own paragraph (no empty line between them), or by a
comment that names it. And a header says somewhere what its functions are to threads.
"""
import re
import sys

DECLARATION = re.compile(r"^(?!typedef|struct \w+ \{|[#\s])[\w\s*]*?\b(rocket_\w+)\(")


def undocumented(text):
    comments = " ".join(re.findall(r"/\*.*?\*/", text, re.S))
    inside = explained = False
    for line in text.split("\n"):
        start = line.lstrip().startswith("/*")
        if inside or start:
            inside = "*/" not in line
            explained = True
            continue
        explained = explained and line.strip() != ""
        declared = DECLARATION.match(line)
        if declared and not explained and declared[1] + "(" not in comments:
            yield declared[1]


bad = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        content = f.read()
    bad += [f"{name}: {function} has no comment" for function in undocumented(content)]
    if not any("thread" in c for c in re.findall(r"/\*.*?\*/", content, re.S)):
        bad.append(f"{name}: nothing about threads")
print("\n".join(bad))
sys.exit(bool(bad))

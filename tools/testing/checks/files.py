#!/usr/bin/env python3
"""Checks every text file of the tree for what no compiler sees.

  - A source file has at most 700 lines: one concept per file. (Lists of names are data, not source.)
  - No path of somebody's machine, no home folder, no link to a host that is not a public project's.
  - No tabs, no trailing blanks, no mark of a merge, a newline at the end; no binaries but the pictures of results, which stay small.

usage: tools/testing/checks/files.py [--self-test]
"""

import re
import sys
from pathlib import Path

from source import ROOT, tree_files

LONGEST = 700
SOURCE = re.compile(r"\.(cpp|c|h|S|py|sh|cmake|pml|f90)$|(^|/)(CMakeLists\.txt|lit\.cfg\.py)$|^tools/\w+$")
PICTURE = re.compile(r"^tools/(?:[\w.]+/)+results/[\w./-]+\.png$")
LARGEST_PICTURE = 500_000  # bytes
TABS_ALLOWED = re.compile(r"(^|/)Makefile|LICENSE|\.patch$|(^|/)debian/rules$")
MERGE = re.compile(r"(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |$)")

# An absolute path is one of the system's; any other exists on one machine only.
ABSOLUTE = re.compile(r"(?<![\w./$}{)>~*%:@+\-\]\\])/([a-z][\w.+-]*)/[\w.+-]")
SYSTEM_FOLDERS = {"usr", "etc", "proc", "sys", "dev", "lib", "lib64", "bin", "sbin", "opt", "var", "run", "tmp"}
# Words between slashes that read like a path but are a list.
HOSTS = re.compile(r"\bhttps?://([^/\s\"'`)>:]+)")
PUBLIC_HOSTS = re.compile(
    r"(^|\.)(openmp\.org|llvm\.org|gnu\.org|github\.com|kernel\.org|man7\.org|open-mpi\.org|debian\.org|python\.org|pypi\.org|"
    r"cmake\.org|apache\.org|keepachangelog\.com|semver\.org|editorconfig\.org|spinroot\.com|perfetto\.dev|doi\.org|arxiv\.org|"
    r"intel\.com|arm\.com|oracle\.com|w3\.org|conventionalcommits\.org|spdx\.org)$")


def path_problems(line, own_places=()):
    problems = [f"a path of somebody's machine: /{found.group(1)}/..." for found in ABSOLUTE.finditer(line)
                if found.group(1) not in SYSTEM_FOLDERS]
    problems += [f"a path of this machine: {place}" for place in own_places if place in line]
    problems += [f"a link to {host}, which is not a public project's host" for host in HOSTS.findall(line)
                 if not PUBLIC_HOSTS.search(host.split("@")[-1])]
    return problems


def check_file(name, data, own_places=()):
    if PICTURE.search(name) and data.startswith(b"\x89PNG"):
        return [f"{name}: a picture of {len(data)} bytes; at most {LARGEST_PICTURE}"] if len(data) > LARGEST_PICTURE else []
    if b"\0" in data[:8192] or name.endswith((".deb", ".o", ".so", ".a")):
        return [f"{name}: a binary; build products and packages do not belong into the tree"]
    text = data.decode("utf-8", errors="replace")
    problems = []
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        problems.append(f"{name}:{len(lines)}: no newline at the end")
    if SOURCE.search(name) and len(lines) - 1 > LONGEST:
        problems.append(f"{name}: {len(lines) - 1} lines; at most {LONGEST}: one concept per file")
    for number, line in enumerate(lines, 1):
        if "\t" in line and not TABS_ALLOWED.search(name):
            problems.append(f"{name}:{number}: a tab")
        if line != line.rstrip() and not name.endswith((".patch", "LICENSE")):
            problems.append(f"{name}:{number}: blanks at the end of the line")
        if MERGE.match(line):
            problems.append(f"{name}:{number}: the mark of a merge that nobody has finished")
        if name != "LICENSE":
            problems += [f"{name}:{number}: {problem}" for problem in path_problems(line, own_places)]
    return problems


def self_test():
    home = "/" + "home/someone/build"
    bad = [f"see {home}", "cd " + "/" + "srv9/tree/x", "index at http:" + "//registry.invalid/simple", "x\t", "y ", "<" * 7 + " HEAD", ">" * 7 + " 1acd7b82"]
    for line in bad:
        assert check_file("a.txt", (line + "\n").encode()), line
    good = ["#include <sys/mman.h>", "reads /sys/devices/system/cpu and /proc/self/maps", "`${prefix}/lib/x`", "and/or/not",
            "https://www.openmp.org/specifications/", "build/release/lib", "f\"{root}/lib/x\"", "~/lib/a", "a(1)/b/c"]
    for line in good:
        assert not check_file("a.txt", (line + "\n").encode()), (line, check_file("a.txt", (line + "\n").encode()))
    assert check_file("a.cpp", b"\n" * 701) and not check_file("a.cpp", b"\n" * 700)
    picture = b"\x89PNG\0"
    assert not check_file("tools/x/y/results/2026/1.png", picture) and check_file("tools/x/y/1.png", picture)
    assert check_file("tools/x/y/results/1.png", b"\0") and check_file("tools/x/y/results/1.png", picture + b"\0" * LARGEST_PICTURE)
    assert check_file("a.txt", b"no newline") and check_file("a", b"\0\1")


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("files: self-test passed")
        return 0
    own_places = [place for place in {str(ROOT), str(Path.home())} if place.count("/") > 1]
    names = tree_files()
    problems = []
    for name in names:
        problems += check_file(name, (ROOT / name).read_bytes(), own_places)
    print("\n".join(problems + [f"files: {len(names)} files, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks what the finished library shows to the world.

  - It exports exactly the names and versions that abi/names.def says: all of the stock runtimes, but for those that it
    gives a reason for, and chomp's own.
  - It needs libc and the loader and nothing else; no symbol of libstdc++ is undefined or exported.
  - SONAME, a run path of $ORIGIN (note_file_name()), -z nodelete, immediate binding, no text relocations, an initial-exec
    TLS block of at most 64 bytes.
  - It has nine tenths of the functions of runtime/start_order.txt: the linker says nothing of a name that is gone.

With --names, only the first: for the runtime that `chomp explore` loads.

usage: tools/testing/checks/exports.py LIBRARY [--soname NAME] [--old-glibc] [--names]
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from exported_names import exported_names  # noqa: E402

NEEDED = re.compile(r"libc\.so(\.6)?$|ld-linux[-\w.]*\.so\.\d+$")  # musl's has no number
OLD_GLIBC = re.compile(NEEDED.pattern + r"|lib(pthread\.so\.0|dl\.so\.2)$")  # before 2.34, parts of libc had files of their own
# Functions that the C++ ABI puts into libc: destructors of thread-local and static objects.
IN_LIBC = {"__cxa_finalize", "__cxa_atexit", "__cxa_thread_atexit_impl"}
# Asked for weakly: null in a program without C++ (stacks/fiber_stack.cpp).
IF_THERE = {"__cxa_get_globals"}
LIBSTDCXX = re.compile(r"^_Z(N?S[tabsiod]|T[ISV]|d[al]P|n[aw][jm])|^__cxa_|^__gxx_|^_Unwind_")
TLS_LIMIT = 64
START_ORDER = Path(__file__).resolve().parents[3] / "runtime" / "start_order.txt"


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def symbols(library):
    """(exported {name: {versions}}, undefined names) of the dynamic symbol table."""
    exported, undefined = {}, set()
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[4] == "LOCAL":
            continue
        name, at, version = fields[7].partition("@")
        if fields[6] == "UND":
            if fields[4] != "WEAK" or name not in IF_THERE:
                undefined.add(name)
        elif fields[6] != "ABS" or not at == "" or fields[3] != "OBJECT":
            exported.setdefault(name, set())
            if at:
                exported[name].add(at + version)
    return exported, undefined


def missing_of_start_order(library):
    """Why the functions that run at the start no longer lie together; "" if they do, or the library has no local symbols."""
    names = [line for line in START_ORDER.read_text().split("\n") if line and not line.startswith("#")]
    has = {fields[7] for line in readelf("--syms", library).partition("'.symtab'")[2].splitlines() if len(fields := line.split()) == 8}
    missing = [name for name in names if name not in has]
    if not has or 10 * len(missing) <= len(names):
        return ""
    return f"{len(missing)} of the {len(names)} names in {START_ORDER.name} are gone; renamed? {some(missing, len(missing))}"


def some(names, limit=12):
    names = sorted(names)
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def wrong_names(exported):
    problems = []
    # The first node is the default one.
    wanted = {f"{name}{'@' if place else '@@'}{node}"
              for name, about in exported_names().items() for place, node in enumerate(about.nodes) if node}
    ours = {name + version for name, versions in exported.items() for version in versions}
    if missing := wanted - ours:
        problems.append(f"abi/names.def says that chomp exports, and it does not: {some(missing)}")
    if extra := ours - wanted:
        problems.append(f"chomp exports, and abi/names.def does not say so: {some(extra)}")
    return problems


def check(library, soname, old_glibc=False):
    exported, undefined = symbols(library)
    problems = wrong_names(exported)
    dynamic = readelf("-d", library)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    if strays := [name for name in needed if not (OLD_GLIBC if old_glibc else NEEDED).match(name)]:
        problems.append(f"NEEDED: {some(strays)}; only libc and the loader may be")
    found = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
    if found != [soname]:
        problems.append(f"SONAME is {found}, expected {soname}")
    flags = " ".join(re.findall(r"\(FLAGS(?:_1)?\)\s*(.*)", dynamic))
    if "NODELETE" not in flags:
        problems.append("not linked with -z nodelete")
    if "NOW" not in flags:
        problems.append("not linked with -z now")
    if "TEXTREL" in dynamic:
        problems.append("has text relocations")
    if re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) != ["$ORIGIN"]:
        problems.append("its run path is not $ORIGIN alone: it would say where it was built")
    if cxx := {name for name in undefined | exported.keys() if LIBSTDCXX.match(name)} - IN_LIBC:
        problems.append(f"symbols of libstdc++: {some(cxx)}")
    if "__tls_get_addr" in undefined:
        problems.append("calls __tls_get_addr: some thread-local variable is not initial-exec")

    segments = readelf("-l", library)
    tls = re.search(r"^\s*TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x[0-9a-f]+)", segments, re.M)
    tls_size = int(tls.group(1), 16) if tls else 0
    if tls_size > TLS_LIMIT:
        problems.append(f"TLS block of {tls_size} bytes; dlopen users have {TLS_LIMIT} to give")
    if not old_glibc and (gone := missing_of_start_order(library)):
        problems.append(gone)
    if "GNU_RELRO" not in segments:
        problems.append("not linked with -z relro")
    return problems, len(exported), tls_size


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--soname", default="libomp.so.5")
    parser.add_argument("--old-glibc", action="store_true", help="built for a glibc before 2.34")
    parser.add_argument("--names", action="store_true", help="look at the names alone")
    options = parser.parse_args()
    if not options.library.exists():
        print(f"exports: {options.library} does not exist")
        return 1
    if options.names:
        exported, _ = symbols(options.library)
        problems = wrong_names(exported)
        print("\n".join([*problems, f"exports: {len(exported)} names, {len(problems)} problem(s)"]))
        return 1 if problems else 0
    problems, count, tls_size = check(options.library, options.soname, options.old_glibc)
    print("\n".join(problems + [f"exports: {count} names, {tls_size} bytes of TLS, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

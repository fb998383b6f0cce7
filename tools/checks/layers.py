#!/usr/bin/env python3
"""Checks that a layer knows only what stands below it.

    abi/  ->  runtime/  ->  schedulers/scheduler.h        runtime/base/ below all of them
    schedulers/ sees runtime/base/, the topology, the task's queue hook and itself. Nothing names a concrete scheduler but
    schedulers/list.def, which names all of them: a table of operations that is not in the list would not be built.
    bots/ and uts/ are plain OpenMP programs: system headers and their own (bots/common/ serves both).
    The environment is read in one place.

The rules are the table RULES: to change the layering, change the table and say why in the commit.

usage: tools/checks/layers.py [--self-test]
"""

import posixpath
import re
import sys

from source import ROOT, Source, tree_files

sys.path.append(str(ROOT / "tools" / "lib"))
import scheduler_list  # noqa: E402

# folder: what its files may include. The longest folder that fits a file counts. A trailing slash: everything below.
RULES = {
    "runtime/base/": ["runtime/base/"],
    "runtime/": ["runtime/", "schedulers/scheduler.h"],
    "schedulers/": ["runtime/base/", "runtime/machine/topology.h", "schedulers/"],
    "abi/": ["abi/", "runtime/", "schedulers/scheduler.h"],
    "bots/": ["bots/"],
    "uts/": ["uts/", "bots/common/"],
}
GETENV_FILES = {"runtime/config/config.cpp", "runtime/machine/topology.cpp", "runtime/machine/topology_hwloc.cpp", "runtime/base/env.cpp"}
HWLOC_FILES = re.compile(r"runtime/machine/topology\w*\.(cpp|h)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
LIST = "schedulers/list.def"
SCHEDULER_FILE = re.compile(r"schedulers/(?!registry\b)\w+\.cpp$")
# A table of operations at namespace scope: `constinit const Scheduler central_scheduler = …`
SCHEDULER_SYMBOL = re.compile(r"^(?:const |constexpr |inline |constinit )+Scheduler\s+(\w+)\s*=", re.M)


def rule_for(name):
    folders = [folder for folder in RULES if name.startswith(folder)]
    return max(folders, key=len) if folders else None


def included_path(name, quoted, exists):
    """The path, from the root, that `#include "quoted"` in a file means: beside the file first, then from the root."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), quoted))
    if exists(beside):
        return beside
    if name.startswith(("bots/", "uts/")):  # programs have include roots of their own
        for root in ("bots", "uts"):
            if exists(posixpath.join(root, quoted)):
                return posixpath.join(root, quoted)
    return posixpath.normpath(quoted)


def check_includes(source, exists):
    folder = rule_for(source.name)
    problems = []
    for match in INCLUDE.finditer(source.text):
        line = source.line_of(match.start()) + 1
        quoted, system = match.groups()
        # Not an include that a comment talks about.
        if "#" not in source.code_lines[line - 1]:
            continue
        if system:
            if system.startswith("hwloc") and not HWLOC_FILES.match(source.name):
                problems.append(f"{source.name}:{line}: hwloc is the business of runtime/machine/topology*.cpp alone")
            if system.split("/")[0] in ("runtime", "abi", "schedulers", "chomp"):
                problems.append(f"{source.name}:{line}: include chomp's own headers with quotes")
            continue
        path = included_path(source.name, quoted, exists)
        if not any(path == allowed or (allowed.endswith("/") and path.startswith(allowed)) for allowed in RULES[folder]):
            problems.append(f"{source.name}:{line}: {folder} may not include {path}; it may include {', '.join(RULES[folder])}")
    return problems


def check_list(owners, listed):
    """owners: file → the tables of operations that it defines."""
    problems = []
    for name, symbols in owners.items():
        missing = [symbol for symbol in symbols if (name, symbol) not in listed]
        problems += [f"{name}:1: {symbol} is not in {LIST}, so nothing builds or tests it" for symbol in missing]
    for name, symbol in listed:
        if symbol not in owners.get(name, ()):
            problems.append(f"{LIST}:1: {name} does not define {symbol}")
    return problems


def check_names(sources, listed):
    problems = []
    owners = {}
    for source in sources:
        if SCHEDULER_FILE.match(source.name):
            for symbol in SCHEDULER_SYMBOL.findall(source.code):
                owners.setdefault(source.name, set()).add(symbol)
    problems += check_list(owners, listed)
    for source in sources:
        if source.name.startswith(("bots/", "uts/")):
            continue
        for name, symbols in owners.items():
            for symbol in symbols if name != source.name else ():
                if found := re.search(rf"\b{symbol}\b", source.code):
                    problems.append(f"{source.name}:{source.line_of(found.start()) + 1}: names the concrete scheduler {symbol}; "
                                    f"only {LIST} may")
        if source.name not in GETENV_FILES:
            for found in re.finditer(r"\b(secure_)?getenv\b|\benviron\b", source.code):
                problems.append(f"{source.name}:{source.line_of(found.start()) + 1}: reads the environment; "
                                "add the setting to runtime/config/config.cpp")
    return problems


def check(sources, listed):
    known = {source.name for source in sources}
    problems = []
    for source in sources:
        problems += check_includes(source, known.__contains__)
    return problems + check_names(sources, listed)


def tables_of(schedulers):
    return [(f"schedulers/{each.file}.cpp", f"{each.file}_scheduler") for each in schedulers]


def self_test():
    files = {
        "runtime/base/log.h": "",
        "runtime/core/task.h": '#include "runtime/base/log.h"\n#include <atomic>\n',
        "runtime/base/bad.h": '#include "runtime/core/task.h"\n',
        "runtime/bad.cpp": '#include "schedulers/hierarchical.h"\n#include "abi/layouts.h"\n#include <hwloc.h>\n',
        "runtime/core/good.cpp": '#include "schedulers/scheduler.h"\n// #include "abi/layouts.h"\n#include "task.h"\n',
        "schedulers/hierarchical.cpp": '#include "schedulers/scheduler.h"\nconstinit const Scheduler hierarchical_scheduler = {};\n',
        "schedulers/forgotten.cpp": "constinit const Scheduler forgotten_scheduler = deques();\n",
        "schedulers/registry.cpp": "extern const Scheduler file##_scheduler;\n",
        "schedulers/bad.cpp": '#include "runtime/core/task.h"\nvoid f() { use(hierarchical_scheduler); getenv("X"); }\n',
        "bots/common/a.h": "",
        "bots/fib/fib.c": '#include "common/a.h"\n#include <omp.h>\n',
        "uts/uts.c": '#include "common/a.h"\n',
        "bots/fib/bad.c": '#include "runtime/core/task.h"\n',
    }
    listed = tables_of(scheduler_list.read('SCHEDULER(hierarchical, "hierarchical", "mts")\nSCHEDULER(gone, "gone", nullptr)\n'))
    problems = check([Source(name, text) for name, text in files.items()], listed)
    found = sorted(problem.split(": ")[0] for problem in problems)
    expected = sorted(["runtime/base/bad.h:1", "runtime/bad.cpp:1", "runtime/bad.cpp:2", "runtime/bad.cpp:3",
                       "schedulers/bad.cpp:1", "schedulers/bad.cpp:2", "schedulers/bad.cpp:2", "bots/fib/bad.c:1",
                       "schedulers/forgotten.cpp:1", "schedulers/list.def:1"])
    assert found == expected, "\n".join(problems)


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("layers: self-test passed")
        return 0
    names = tree_files(*(folder.rstrip("/") for folder in RULES), suffixes=(".h", ".c", ".cpp", ".S"))
    problems = check([Source.read(name) for name in names], tables_of(scheduler_list.read()))
    print("\n".join(problems + [f"layers: {len(names)} files, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks that a layer knows only what stands below it.

    abi/  ->  runtime/  ->  schedulers/scheduler.h        runtime/base/ below all of them
    inside runtime/, a file includes headers of its own folder and of those below it (FLOORS). What .cpp files include
    from above is the list UPWARD, which may only shrink. What Worker and Team hold of a folder by value is in its
    <name>_state.h: such a header stands on the floor of core, if its folder stands higher.
    schedulers/ sees runtime/base/, the topology, the task's queue hook and itself. Nothing names a concrete scheduler but
    schedulers/list.def, which names all of them: a table of operations that is not in the list would not be built.
    bots/ and uts/ are plain OpenMP programs: system headers and their own (bots/common/ serves all).
    A file that loops over a list in braces includes <initializer_list>: some C++ libraries bring it in with others, some
    (libstdc++ 14) do not.
    abi/ decodes and calls: it has no atomics, locks or memory of its own (ABI_HAS_NONE), but for ABI_EXCEPTIONS.
    Only runtime/base/env.cpp calls getenv(), and only ENVIRONMENT_READERS call its functions: all else asks for a setting.

The rules are the table RULES: to change the layering, change the table and say why in the commit.

usage: tools/testing/checks/layers.py [--self-test]
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
    "tools/laboratory/virtual/": ["tools/laboratory/virtual/"],  # a library of its own, below everything
    "runtime/": ["runtime/", "schedulers/scheduler.h"],
    "schedulers/": ["runtime/base/", "runtime/machine/topology.h", "schedulers/"],
    "abi/": ["abi/", "runtime/", "schedulers/scheduler.h"],
    "bots/": ["bots/"],
    "uts/": ["uts/", "bots/common/"],
}
PROGRAMS = ("bots/", "uts/")
# The folders of runtime/, lowest first. startup.h stands above them.
FLOORS = ["base", "machine", "config", "sync", "core", "memory", "atomics", "threads", "stealing", "stacks", "tasks", "dependences",
          "wait", "teams", "loops", "devices", "graphs", "observe", "stall"]
# The headers from higher floors that .cpp files include, without "runtime/" and ".h": this list may only shrink.
UPWARD = {
    "core/counters.cpp": "startup",
    "core/events.cpp": "stacks/stack",
    "core/private_deque.cpp": "wait/work_loop",
    "dependences/task_deps.cpp": "wait/idle wait/work_loop",
    "machine/rank_share.cpp": "config/config",
    "machine/topology.cpp": "config/config",
    "threads/affinity_format.cpp": "teams/league",
    "stacks/stack.cpp": "tasks/task_run",
    "stacks/tool_crash.cpp": "observe/ompt",
    "sync/numbered_eventcount.cpp": "core/worker",
    "sync/program_lock.cpp": "core/team core/worker",
    "sync/shown_wait.cpp": "core/worker",
    "sync/sync.cpp": "core/memory core/worker",
    "tasks/cancel.cpp": "teams/barrier",
    "tasks/task_detach.cpp": "dependences/task_deps",
    "tasks/task_finish.cpp": "dependences/dependence_table dependences/task_deps",
    "tasks/task_run.cpp": "wait/fiber",
    "tasks/taskgroup.cpp": "wait/work_loop",
    "tasks/taskloop.cpp": "wait/work_loop",
    "teams/implicit_task.cpp": "loops/worksharing",
    "teams/region.cpp": "loops/worksharing startup",
    "teams/team_cache.cpp": "loops/worksharing",
    "threads/thread_pool.cpp": "observe/ompt_tool stacks/stack stacks/stack_overflow startup teams/region teams/team_cache",
    "wait/work_loop.cpp": "teams/barrier",
}
MOST_TIES = 101  # pairs of folders, of which one includes a header of the other: may only shrink
MOST_FILES = 25  # in one folder of runtime/: about 20 is the aim; core has the records that all others share
ENVIRONMENT_FILES = {"runtime/base/env.cpp", "runtime/base/env.h"}
ENVIRONMENT_READERS = {
    "runtime/config/config.cpp",  # the settings
    "runtime/machine/topology.cpp", "runtime/machine/topology_hwloc.cpp",  # hwloc's own variables
    "runtime/machine/rank_share.h",  # the variables that launchers of MPI programs set
}
# What a file of abi/ that only decodes and calls has no use for.
ABI_HAS_NONE = re.compile(r"\bmemory_order_\w+|\batomic<|\bstd::atomic\w*|\b\w+_fence\(|__(?:atomic|sync)_\w+\("
                          r"|\b(?:malloc|calloc|realloc|free|strn?dup)\(|\b(?:lock_guard|ProgramLock|SpinLock|Lock)\b"
                          r"|\b\w+_lock\.\w+\(")
ABI_EXCEPTIONS = {"abi/omp_alloc.cpp"}  # Intel's malloc family is libc's
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
    if name.startswith(PROGRAMS):  # they have include roots of their own
        for root in ("bots", "bots/kernels", "uts"):
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


def check_braced_lists(source):
    return [f"{source.name}:{number}: include <initializer_list>, which this loop over a list in braces needs"
            for number, line in enumerate(source.code_lines, 1)
            if re.search(r"\bfor \([^;]* : \{", line) and "#include <initializer_list>" not in source.text]


def check_abi(source):
    if not source.name.startswith("abi/") or source.name in ABI_EXCEPTIONS:
        return []
    return [f"{source.name}:{source.line_of(found.start()) + 1}: {found.group()}: abi/ decodes and calls; this belongs into runtime/"
            for found in ABI_HAS_NONE.finditer(source.code)]


def floor_of(name):
    """How high a file of runtime/ stands; files of no folder (startup.h) stand above all."""
    folder = name.split("/")[1]
    floor = FLOORS.index(folder) if folder in FLOORS else len(FLOORS)
    return min(floor, FLOORS.index("core")) if name.endswith("_state.h") else floor


def check_floors(source, exists):
    """A file of runtime/ looks down only, but for what the list UPWARD has of it, all of which it needs."""
    if not source.name.startswith("runtime/"):
        return []
    listed = set(UPWARD.get(source.name[len("runtime/"):], "").split())
    problems, used = [], set()
    for match in INCLUDE.finditer(source.text):
        quoted = match.group(1)
        line = source.line_of(match.start()) + 1
        if quoted is None or "#" not in source.code_lines[line - 1]:
            continue
        path = included_path(source.name, quoted, exists)
        if not path.startswith("runtime/") or floor_of(path) <= floor_of(source.name):
            continue
        short = path[len("runtime/"):-len(".h")]
        used.add(short)
        if short not in listed:
            problems.append(f"{source.name}:{line}: this file stands below {path}; files look down only "
                            f"({' < '.join(FLOORS)})")
    return problems + [f"{source.name}:1: take {short} off the list UPWARD in tools/testing/checks/layers.py"
                       for short in sorted(listed - used)]


def check_folders(sources):
    """Every file of runtime/ stands in a folder that FLOORS knows, and no folder becomes a hall."""
    problems, counts = [], {}
    for source in sources:
        parts = source.name.split("/")
        if parts[0] != "runtime":
            continue
        if len(parts) == 2 and not parts[1].startswith("startup."):
            problems.append(f"{source.name}:1: files of runtime/ stand in one of its folders")
        if len(parts) > 2 and parts[1] not in FLOORS:
            problems.append(f"{source.name}:1: add the folder {parts[1]} to FLOORS in tools/testing/checks/layers.py")
        if len(parts) > 2:
            counts[parts[1]] = counts.get(parts[1], 0) + 1
    return problems + [f"runtime/{folder}:1: {count} files; at most {MOST_FILES} stand in one folder"
                       for folder, count in counts.items() if count > MOST_FILES]


def check_ties(sources):
    ties = set()
    for source in sources:
        for match in INCLUDE.finditer(source.text):
            parts = [source.name.split("/"), (match.group(1) or "").split("/")]
            if all(len(each) > 2 and each[0] == "runtime" for each in parts) and parts[0][1] != parts[1][1]:
                ties.add(frozenset(each[1] for each in parts))
    return [f"runtime:1: {len(ties)} pairs of folders are tied; at most {MOST_TIES} may be"] if len(ties) > MOST_TIES else []


def check_map(picture):
    """The map of runtime/ names every folder."""
    return [f"runtime/map.svg:1: show the folder {floor}/" for floor in FLOORS if not re.search(rf"\b{floor}/", picture)]


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
        if source.name.startswith(PROGRAMS):
            continue
        for name, symbols in owners.items():
            for symbol in symbols if name != source.name else ():
                if found := re.search(rf"\b{symbol}\b", source.code):
                    problems.append(f"{source.name}:{source.line_of(found.start()) + 1}: names the concrete scheduler {symbol}; "
                                    f"only {LIST} may")
        if source.name not in ENVIRONMENT_FILES and not source.name.startswith("tools/laboratory/virtual/"):
            forbidden = r"\b(secure_)?getenv\b|\benviron\b"
            if source.name not in ENVIRONMENT_READERS:
                forbidden += r"|\benvironment_(value|each)\b"
            for found in re.finditer(forbidden, source.code):
                problems.append(f"{source.name}:{source.line_of(found.start()) + 1}: reads the environment; "
                                "add the setting to runtime/config/settings_table.cpp")
    return problems


def check(sources, listed):
    known = {source.name for source in sources}
    problems = []
    for source in sources:
        problems += check_includes(source, known.__contains__) + check_floors(source, known.__contains__)
        problems += check_braced_lists(source) + check_abi(source)
    return problems + check_folders(sources) + check_ties(sources) + check_names(sources, listed)


def tables_of(schedulers):
    return [(f"schedulers/{each.file}.cpp", f"{each.file}_scheduler") for each in schedulers]


def self_test():
    files = {
        "runtime/base/log.h": "",
        "runtime/core/task.h": '#include "runtime/base/log.h"\n#include <atomic>\n',
        "runtime/core/loops.cpp": "void f() {\n  for (int i : {1, 2}) use(i);\n}\n",
        "runtime/core/loops_well.cpp": "#include <initializer_list>\nvoid f() {\n  for (int i : {1, 2}) use(i);\n}\n",
        "runtime/wait/idle.h": '#include "runtime/core/task.h"\n',
        "runtime/core/bad.h": '#include "runtime/wait/idle.h"\n',
        "runtime/core/holds.h": '#include "runtime/wait/wait_state.h"\n',
        "runtime/wait/wait_state.h": '#include "runtime/tasks/task_alloc.h"\n',
        "runtime/core/looks_up.cpp": '#include "runtime/wait/idle.h"\n',
        "runtime/tasks/taskloop.cpp": '#include "runtime/wait/work_loop.h"\n',
        "runtime/wait/work_loop.h": "",
        "runtime/tasks/task_alloc.h": "",
        "runtime/sync/numbered_eventcount.cpp": "",
        "abi/bad.cpp": "int f() { return word.load(std::memory_order_relaxed); }\nvoid g() { free(malloc(1)); }\n",
        "abi/good.cpp": "void omp_free(void* block) { allocator_free(block); }\n",
        "runtime/bad.h": "",
        "runtime/cellar/bad.h": "",
        "runtime/base/bad.h": '#include "runtime/core/task.h"\n',
        "runtime/core/bad.cpp": '#include "schedulers/hierarchical.h"\n#include "abi/layouts.h"\n#include <hwloc.h>\n',
        "runtime/core/reads.cpp": 'const char* value = environment_value("X");\n',
        "runtime/config/config.cpp": 'const char* value = environment_value("X");\n',
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
    expected = sorted(["runtime/base/bad.h:1", "runtime/base/bad.h:1", "runtime/core/bad.cpp:1", "runtime/core/bad.cpp:2",
                       "runtime/core/bad.cpp:3", "runtime/core/bad.h:1", "runtime/wait/wait_state.h:1", "runtime/core/looks_up.cpp:1", "runtime/core/loops.cpp:2",
                       "runtime/sync/numbered_eventcount.cpp:1", "runtime/core/reads.cpp:1", "runtime/bad.h:1", "runtime/cellar/bad.h:1",
                       "abi/bad.cpp:1", "abi/bad.cpp:2", "abi/bad.cpp:2",
                       "schedulers/bad.cpp:1", "schedulers/bad.cpp:2", "schedulers/bad.cpp:2", "bots/fib/bad.c:1",
                       "schedulers/forgotten.cpp:1", "schedulers/list.def:1"])
    assert found == expected, "\n".join(problems)
    assert check_map(" ".join(f"{floor}/" for floor in FLOORS if floor != "core")) == ["runtime/map.svg:1: show the folder core/"]


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("layers: self-test passed")
        return 0
    names = tree_files(*(folder.rstrip("/") for folder in RULES), suffixes=(".h", ".c", ".cpp", ".S"))
    problems = check([Source.read(name) for name in names], tables_of(scheduler_list.read()))
    problems += check_map((ROOT / "runtime" / "map.svg").read_text())
    print("\n".join(problems + [f"layers: {len(names)} files, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

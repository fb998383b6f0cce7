"""Compares what chomp makes of the /sys and /proc of other machines with what hwloc makes of them.

hwloc's source package carries these files for some 47 machines. For each, ours.cpp (chomp's own sources) and theirs.cpp
(libhwloc) print the same properties; what differs must stand in explained.txt, with a reason, and what stands there must
differ. Exit status: 0 all is as it should be, 1 it is not, 77 the machines cannot be had or read here.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from common import ROOT, Stopwatch, cache_value, clean_environment, die, say  # noqa: E402
from package_source import Unavailable, download, last_line, run  # noqa: E402

PACKAGE = "hwloc"
FOLDER = ROOT / "tools" / "testing" / "machines"
SKIPPED_STATUS = 77
FEWEST = 40  # fewer machines than this mean that the archive was not understood
OUR_SOURCES = [*(f"base/{name}" for name in ("log", "os_linux", "env")),
               *(f"machine/{name}" for name in ("cgroup", "topology", "topology_sysfs", "topology_hwloc", "sysfs_units", "hardware",
                                                "hardware_sysfs")), "config/places"]
# Properties of ours, and which of hwloc's each must equal. Domains are numbered by their first CPU, so their order is not
# hwloc's, and only the sets are compared.
SAME_ORDER = {name: name for name in ("threads", "cores", "l1_caches", "l2_caches", "l3_caches", "ll_caches", "numa_domains",
                                      "dice", "sockets")}
SAME_SETS = {"domains.default": "domains.default", "domains.socket": "sockets", "domains.numa": "numa_domains",
             "domains.core": "cores"}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check machines",
                                     description="Compare chomp's and hwloc's views of machines that nobody here has.")
    parser.add_argument("--filter", metavar="REGEX", default="", help="only the machines whose name matches")
    parser.add_argument("--show", action="store_true", help="print what both derive, whole")
    parser.add_argument("--cache", metavar="DIR", type=Path, default=ROOT / ".cache" / "machines",
                        help="where the fetched machines are kept (%(default)s)")
    return parser.parse_args()


# ---- The machines ----------------------------------------------------------------------------------------------------

def fetched(cache):
    """The folder that holds a folder for each machine, fetched if there is none. Raises Unavailable."""
    kept = Path(cache).resolve() / "hwloc-machines"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as work:
            archive = download(PACKAGE, "3 MB", Path(work))
            # Into place by one rename: an interrupted run leaves no half a zoo.
            extract(archive, Path(work)).rename(kept)
    return kept


def extract(archive, work):
    say("extracting the machines")
    packed, machines = work / "packed", work / "machines"
    packed.mkdir()
    machines.mkdir()
    done = run(["tar", "-xf", archive, "-C", packed, "--strip-components=4", "--wildcards", "*/tests/hwloc/linux/*.tar.*"], work)
    for inner in sorted(packed.glob("*.tar.*")):
        folder = machines / re.sub(r"\.tar\..*", "", inner.name)
        folder.mkdir()
        if run(["tar", "-xf", inner, "-C", folder, "--strip-components=1"], work).returncode == 0:
            complete(folder)
    if len(list(machines.iterdir())) < FEWEST:
        raise Unavailable(f"{archive.name} holds too few machines: {last_line(done.stdout)}")
    return machines


def cpus_of_map(text):
    """The CPUs of a mask like "00000000,000000ff", ascending: words of 32 bits, whose leading zeros may be missing."""
    words = [int(word, 16) for word in reversed(text.strip("\0\n ").split(",")) if word]
    value = sum(word << 32 * i for i, word in enumerate(words))
    return [cpu for cpu in range(value.bit_length()) if value >> cpu & 1]


def list_text(cpus):
    """As the kernel writes them: "0-3,8"."""
    parts = []
    for cpu in sorted(cpus):
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def complete(folder):
    """Makes the files that hwloc does not read say what those that it reads say, as every kernel since 2.6.26 has it: for
    each mask of CPUs the list (some machines are made up, and only their masks are), what is online, and the control
    group."""
    system = folder / "sys" / "devices" / "system"
    for mask in [*system.glob("cpu/cpu*/topology/*_siblings"), *system.glob("cpu/cpu*/topology/*_cpus")]:
        write_list(mask, f"{mask.name}_list")
    for mask in system.glob("cpu/cpu*/cache/index*/shared_cpu_map"):
        write_list(mask, "shared_cpu_list")
    for mask in system.glob("node/node*/cpumap"):
        write_list(mask, "cpulist")
    for kind in ("cpu", "node"):
        numbers = [int(path.name[len(kind):]) for path in system.glob(f"{kind}/{kind}[0-9]*") if is_online(path)]
        if numbers and not (system / kind / "online").exists():
            (system / kind / "online").write_text(list_text(numbers) + "\n")
    groups, group = folder / "proc" / "self" / "cgroup", folder / "proc" / "self" / "cpuset"
    if group.exists() and not groups.exists():
        mounts = (folder / "proc" / "mounts").read_text() if (folder / "proc" / "mounts").exists() else ""
        groups.write_text(("0::" if " cgroup2 " in mounts else "1:cpuset:") + group.read_text().strip() + "\n")


def write_list(mask, name):
    mask.with_name(name).write_text(list_text(cpus_of_map(mask.read_text())) + "\n")


def is_online(unit):
    word = unit / "online"
    return (word.read_text().strip() != "0") if word.exists() else True


# ---- Both views ------------------------------------------------------------------------------------------------------

def compiled(work):
    """The two programs. Raises Unavailable."""
    cxx = cache_value("release", "CMAKE_CXX_COMPILER") or "clang++"
    common = [cxx, "-std=c++20", "-O1", f"-I{ROOT}"]
    ours, theirs = work / "ours", work / "theirs"
    done = run([*common, FOLDER / "theirs.cpp", "-lhwloc", "-o", theirs], ROOT)
    if done.returncode != 0:
        raise Unavailable(f"hwloc is not to be had (libhwloc-dev): {last_line(done.stdout)}")
    sources = [ROOT / "runtime" / f"{name}.cpp" for name in OUR_SOURCES]
    done = run([*common, FOLDER / "ours.cpp", *sources, "-pthread", "-ldl", "-o", ours], ROOT)
    if done.returncode != 0:
        die(f"{FOLDER / 'ours.cpp'} does not compile:\n{done.stdout}")
    return ours, theirs


def view(command, folder):
    """What a program prints, as a dictionary; None if it failed."""
    environment = {**clean_environment(), "HWLOC_FSROOT": str(folder), "HWLOC_COMPONENTS": "linux,stop",
                   "HWLOC_HIDE_ERRORS": "1"}
    done = subprocess.run([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return None
    return dict((line.split(" ", 1) + [""])[:2] for line in done.stdout.splitlines())


def numbers(text):
    """The CPUs of a list like "0-3,8"."""
    ends = [part.split("-") for part in text.split(",") if part]
    return {cpu for first, *last in ends for cpu in range(int(first), int((last or [first])[0]) + 1)}


def differences(ours, theirs):
    """The names of the properties in which the two differ, each with both texts."""
    found = {}
    allowed = numbers(theirs["allowed"])
    for mine, yours in {**SAME_ORDER, **SAME_SETS}.items():
        a, b = ours.get(mine, "-"), theirs.get(yours, "-")
        if yours == "numa_domains" and a == "-" and numbers(b.replace("|", ",")) == allowed and "|" not in b:
            continue  # hwloc makes one node of a machine whose kernel knows none
        if sorted(a.split("|")) != sorted(b.split("|")):
            found[mine] = a, b
        elif a != b and mine in SAME_ORDER:
            found[f"{mine}.order"] = a, b
    if numbers(ours["online"]) != numbers(theirs["online"]):
        found["online"] = ours["online"], theirs["online"]
    may_run = numbers(ours["online"]) & (numbers(ours["group"]) if ours["group"] else numbers(ours["online"]))
    if may_run != allowed:
        found["group"] = ours["group"], theirs["allowed"]
    if ours["quota"] != "0":
        found["quota"] = ours["quota"], "none, for no machine has one"
    a, b = ours.get("distances.numa", "-"), theirs["distances.numa"]
    if a != b and not (b == "-" and set(re.split("[,|]", a)) <= {"0", "1", "-"}):  # without a matrix all are equally far
        found["distances.numa"] = a, b
    return found


def explained():
    """[machine, properties, reason] of each line of explained.txt; the first two are patterns."""
    lines = (line.split("#")[0].strip() for line in (FOLDER / "explained.txt").read_text().splitlines())
    return [line.split(None, 2) for line in lines if line]


def not_partitions(ours, allowed):
    """Our properties in which a CPU that may be used is in no unit, or in several."""
    units = [name for name in {**SAME_ORDER, **SAME_SETS} if ours.get(name, "-") != "-"]
    return [name for name in units
            if sorted(cpu for unit in ours[name].split("|") for cpu in numbers(unit)) != sorted(allowed)]


def judge(folder, programs, known, options):
    """True if all is as it should be; prints what is not. `known` loses the lines that explain something."""
    theirs = view([programs[1]], folder)
    ours = view([programs[0], folder, theirs["allowed"]], folder) if theirs else None
    if ours is None:
        say(f"{folder.name}: {'our' if theirs else 'their'} program failed")
        return False
    if options.show:
        for name in sorted({*ours, *theirs}):
            say(f"{folder.name} {name}\n  chomp {ours.get(name, '')}\n  hwloc {theirs.get(name, '')}")
    good = True
    for name, (mine, yours) in differences(ours, theirs).items():
        lines = [line for line in explained() if fnmatchcase(folder.name, line[0]) and fnmatchcase(name, line[1])]
        for line in lines:
            known.discard(tuple(line))
        if not lines:
            good = False
            say(f"{folder.name} {name}\n  chomp {mine[:170]}\n  hwloc {yours[:170]}")
    for name in not_partitions(ours, numbers(theirs["allowed"])):
        good = False
        say(f"{folder.name} {name}: a CPU is in no unit, or in two\n  chomp {ours[name][:170]}")
    return good


def main():
    options, watch = parse_arguments(), Stopwatch()
    zoo = fetched(options.cache)
    unused = {tuple(line) for line in explained()}
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        programs = compiled(Path(work))
        for folder in sorted(zoo.iterdir()):
            if re.search(options.filter, folder.name):
                good = judge(folder, programs, unused, options)
                passed, failed = passed + good, failed + (not good)
    if not options.filter:
        for machine, properties, _ in sorted(unused):
            say(f"{machine} {properties}: explained, but there is no difference; delete its line")
        failed += bool(unused)
    say(f"{watch.seconds():.0f} seconds")
    say(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unavailable as why:
        say(f"left out: {why}")
        sys.exit(SKIPPED_STATUS)

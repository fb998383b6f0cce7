"""Makes bare Debian systems in folders, by debootstrap from this machine's own mirror, and looks whether chomp builds and runs there:

  commands   tools/quickstart, as root, which installs what it needs; then tools/bench programs without network, by a user without rights
  builds     with each Clang of that system: without network and rights, from a tree that nobody may write, with spaces in every path,
             other compilers first in PATH, and Open MPI's mpicc without its headers

  tools/check roots                                  both in bookworm and trixie
  tools/check roots --suites sid --steps builds --clangs '21 23'
  tools/check roots --cmake FOLDER                   builds with that CMake, as PyPI's wheel of 3.22 brings it

Needs root, debootstrap, and some minutes for each build. A system that is there already is used again. Exit status: 0 all went well,
1 something failed, 77 it cannot run here. Clang 16 to 19 and 21 to 23 of Debian 12, 13 and unstable worked on 2026-11-22.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from common import ROOT, allowed_cpus, say  # noqa: E402

CANNOT_RUN = 77
SPACE, TREE, READ_ONLY = "/opt/builder/some space", "/opt/builder/some space/a tree", "/opt/a read-only tree"
# Clangs that the suites' archives are known to have; those that apt does not find are left out.
CLANGS = "16 17 18 19 20 21 22 23"
STEPS = ("commands", "builds")
# Tests that need no header of OpenMP's, run on what was built.
PROGRAMS = "for_each_iteration_once ordered_in_order reduction_types task_dependences task_fib"
NEEDED = "cmake ninja-build g++ python3 openmpi-bin"
SAME_CHECKS = "-o Acquire::Check-Valid-Until=false"


def mirror():
    """Where this machine's apt gets Debian from, or nothing."""
    texts = [path.read_text() for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
             if path.suffix in (".list", ".sources") and path.exists()]
    found = re.findall(r"^(?:URIs:|deb(?: \[.*\])?) +(\S+)", "\n".join(texts), re.M)
    return next((each for each in found if "security" not in each), None)


class System:
    """One root folder."""

    def __init__(self, suite, options):
        self.suite, self.options, self.folder, self.failures, self.rows = suite, options, options.folder / suite, [], []

    def run(self, script, user="root", network=False, log=None):
        """A shell script in there; True if its status is 0."""
        inner = f"cd /; {script}"
        command = [*([] if network else ["unshare", "-n"]), "chroot", self.folder, "/usr/bin/env", "-i", "HOME=/opt/builder", "LC_ALL=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   *(["su", "-s", "/bin/bash", user, "-c", inner] if user != "root" else ["/bin/bash", "-c", inner])]
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        if log:
            (self.options.folder / f"{self.suite}-{log}.log").write_text(done.stdout)
        self.said = done.stdout
        return done.returncode == 0

    def note(self, what, good):
        self.rows.append((self.suite, what, "works" if good else "FAILS"))
        say(f"{self.suite}: {what}: {'works' if good else 'FAILS'}")
        if not good:
            self.failures.append(what)
            say("\n".join("  " + line for line in self.said.splitlines()[-30:]))

    def bootstrap(self):
        if not (self.folder / "etc/debian_version").exists():
            say(f"{self.suite}: debootstrap")
            self.options.folder.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(["debootstrap", "--variant=minbase", self.suite, str(self.folder), self.options.mirror], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                say(done.stdout[-2000:])
                return False
        for name in ("proc", "dev"):
            if not os.path.ismount(self.folder / name):
                subprocess.run(["mount", *(["-t", "proc", "proc"] if name == "proc" else ["--bind", "/dev"]), self.folder / name], check=True)
        self.run("id builder >/dev/null 2>&1 || useradd -m -d /opt/builder builder")
        self.copy_tree()
        return self.run(f"apt-get {SAME_CHECKS} update -qq", network=True, log="update")

    def copy_tree(self):
        names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        for target in (TREE, READ_ONLY):
            folder = self.folder / target[1:]
            shutil.rmtree(folder, ignore_errors=True)
            for name in filter(lambda each: (ROOT / each).is_file(), names):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        self.run(f"chown -R builder '{SPACE}'; chmod -R a-w '{READ_ONLY}'; chmod -R a+rX '{READ_ONLY}'")

    def release(self):
        for name in ("proc", "dev"):
            subprocess.run(["umount", self.folder / name], check=False, stderr=subprocess.DEVNULL)

    def commands(self):
        good = self.run(f"cd '{TREE}' && tools/quickstart --rounds 1 --filter bots-fib", network=True, log="quickstart")
        self.note("tools/quickstart in the bare system", good)
        self.run(f"chown -R builder '{SPACE}'")
        self.note("tools/bench programs, no network, no rights", self.run(f"cd '{TREE}' && CHOMP_NO_INSTALL=1 tools/bench programs --quick --filter 'fib/'", "builder",
                                                                   log="regress"))

    def builds(self):
        self.run(f"apt-get {SAME_CHECKS} install -qqy --no-install-recommends {NEEDED}", network=True, log="packages")
        self.run("apt-cache search -n '^clang-[0-9]+$'")
        there = set(re.findall(r"^clang-(\d+) ", self.said, re.M))
        if self.options.cmake:
            shutil.copytree(self.options.cmake, self.folder / "opt/cmake", dirs_exist_ok=True, symlinks=True)
        self.run("mkdir -p /opt/first; for name in c++ g++ gcc cc; do printf '#!/bin/sh\\necho not this one >&2\\nexit 1\\n' >/opt/first/$name; done; "
                 "chmod a+x /opt/first/*")
        for number in filter(there.__contains__, self.options.clangs.split()):
            if not self.run(f"apt-get {SAME_CHECKS} install -qqy --no-install-recommends clang-{number} lld-{number}", network=True, log=f"clang-{number}"):
                self.note(f"Clang {number} from the archive", False)
                continue
            self.one_build(number)

    def one_build(self, number):
        cmake = "/opt/cmake/bin/cmake" if self.options.cmake else "cmake"
        build = f"{SPACE}/build {number}"
        said_version = self.run(f"{cmake} --version") and self.said.split()[2]
        runs = (f"for name in {PROGRAMS}; do clang-{number} -fopenmp -O2 -I'{READ_ONLY}/test' '{READ_ONLY}/test/omp/'$name.c -L'{build}/lib' -lm "
                f"-o '{build}/'$name && LD_LIBRARY_PATH='{build}/lib' OMP_NUM_THREADS=3 '{build}/'$name || exit 1; done")
        good = self.run(f"rm -rf '{build}'; export PATH=/opt/first:$PATH; {cmake} -S '{READ_ONLY}' -B '{build}' -G Ninja -DCMAKE_BUILD_TYPE=Release "
                        f"-DCHOMP_CLANGXX=$(command -v clang++-{number}) && {cmake} --build '{build}' --target {self.options.target} -j {self.options.jobs} && "
                        f"{{ {runs}; }}", "builder", log=f"build-{number}")
        warnings = len(re.findall(r": warning: ", self.said))
        self.note(f"build by Clang {number}, CMake {said_version}, {warnings} warnings", good)


def parse():
    parser = argparse.ArgumentParser(prog="tools/check roots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "roots", help="where the systems are (.cache/roots)")
    parser.add_argument("--suites", default="bookworm trixie", help="Debian's names for its versions (bookworm trixie)")
    parser.add_argument("--steps", default=" ".join(STEPS), help=f"of {', '.join(STEPS)}")
    parser.add_argument("--clangs", default=CLANGS, help=f"versions, those that the archive has of them ({CLANGS})")
    parser.add_argument("--target", default="all", help="what is built (all)")
    parser.add_argument("--cmake", type=Path, help="a folder with another CMake in bin/, for the builds")
    parser.add_argument("--jobs", type=int, default=allowed_cpus(), help="compilations at a time")
    parser.add_argument("--mirror", default=mirror(), help="where debootstrap gets packages from (where this machine's apt does)")
    return parser.parse_args()


def main():
    options = parse()
    if os.getuid() != 0 or not shutil.which("debootstrap") or not options.mirror:
        say("roots: needs root, debootstrap, and an apt that knows a mirror of Debian")
        return CANNOT_RUN
    options.folder = options.folder.resolve()
    rows, failed = [], 0
    for suite in options.suites.split():
        system = System(suite, options)
        try:
            if not system.bootstrap():
                say(f"{suite}: cannot be had here")
                continue
            for step in options.steps.split():
                {"commands": system.commands, "builds": system.builds}[step]()
        finally:
            system.release()
        rows += system.rows
        failed += len(system.failures)
    say()
    for row in rows:
        say("| " + " | ".join(row) + " |")
    say(f"roots: {len(rows) - failed} work, {failed} fail")
    return CANNOT_RUN if not rows else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Makes bare Debian systems in folders, by debootstrap from this machine's own mirror, with git and certificates and nothing else, and
looks whether chomp's first steps go well there:

  commands   tools/quickstart as root, which installs what it needs; then the lines of the first page's first screen, one by one, as root
             and as a user without rights
  check      tools/check --quick, as root
  builds     with each Clang of that system: without network and rights, from a tree that nobody may write, with spaces in every path,
             other compilers first in PATH, and Open MPI's mpicc without its headers

  tools/check roots                                  all of it, in bookworm and trixie
  tools/check roots --ci                             what CI runs: commands, one round, in this machine's own version
  tools/check roots --suites sid --steps builds --clangs '21 23'
  tools/check roots --suites noble --mirror URI      Ubuntu, where the mirror's name says that it is Ubuntu's
  tools/check roots --cmake FOLDER                   builds with that CMake, as PyPI's wheel of 3.22 brings it

Needs root, debootstrap, and some minutes for each build. Exit status: 0 all went well, 1 something failed, 77 it cannot run here.
Clang 16 to 19 and 21 to 23 of Debian 12, 13 and unstable worked on 2026-11-22.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import progress  # noqa: E402
from common import ROOT, allowed_cpus, say, source_files  # noqa: E402

CANNOT_RUN = 77
HOME, READ_ONLY = "/opt/builder", "/opt/a read-only tree"
SPACE, TREE, CLONE = f"{HOME}/some space", f"{HOME}/some space/a tree", f"{HOME}/chomp"
# Clangs that the suites' archives are known to have; those that apt does not find are left out.
CLANGS = "16 17 18 19 20 21 22 23"
STEPS = ("commands", "check", "builds")
PAGE = ROOT / "README.md"
# Tests that need no header of OpenMP's, run on what was built.
PROGRAMS = "for_each_iteration_once ordered_in_order reduction_types task_dependences task_fib"
NEEDED = "cmake ninja-build g++ python3 openmpi-bin"
SAME_CHECKS = "-o Acquire::Check-Valid-Until=false"


def first_screen():
    """The lines of the first page's first two blocks: (line, the program's source, the line that compiles it)."""
    text = PAGE.read_text()
    blocks = re.findall(r"(?:^    .*\n)+", text[:text.index("\n| ")], re.M)
    lines = [re.sub(r"\s{2,}#.*", "", line.strip()) for line in "".join(blocks).splitlines()]
    source = re.search(r"```c\n(.*?)```", text, re.S)[1]
    return lines, source, re.match(r"// (.*)", source)[1]


def own_suite():
    return re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.M)[1]


def mirror():
    """Where this machine's apt gets Debian from, or nothing."""
    texts = [path.read_text() for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
             if path.suffix in (".list", ".sources") and path.exists()]
    found = re.findall(r"^(?:URIs:|deb(?: \[.*\])?) +(\S+)", "\n".join(texts), re.M)
    return next((each for each in found if "security" not in each), None)


def last_line(file):
    """What was written to it last, in some words."""
    with file.open("rb") as written:
        written.seek(max(0, file.stat().st_size - 1000))
        lines = written.read().decode(errors="replace").split("\n")
    return next((line.strip()[:100] for line in reversed(lines) if line.strip()), "nothing said yet")


class System:
    """One root folder."""

    def __init__(self, suite, options):
        self.suite, self.options, self.folder, self.failures, self.rows, self.cpu = suite, options, options.folder / suite, [], [], 0

    def run(self, script, user="root", network=False, log=None):
        """A shell script in there, in a namespace that ends, with its mounts, when the script does; True if its status is 0."""
        inner = f"cd /; {script}"
        outer = ('mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" && '
                 'mount -o remount,bind,ro "$0/sys" && exec chroot "$0" "$@"')
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"]), "sh", "-c", outer, self.folder,
                   "/usr/bin/env", "-i", f"HOME={HOME}" if user != "root" else "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                   "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   *(["su", "-s", "/bin/bash", user, "-c", inner] if user != "root" else ["/bin/bash", "-c", inner])]
        log = self.options.folder / f"{self.suite}-{log or 'last'}.log"
        progress.doing(f"{self.suite}: {script}", lambda: last_line(log))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with log.open("wb") as out:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False)
        progress.doing(None)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.said = log.read_text(errors="replace")
        return done.returncode == 0

    def note(self, what, good):
        self.rows.append((self.suite, what, "works" if good else "FAILS", f"{self.cpu:.0f} s of CPU time"))
        say(f"{self.suite}: {what}: {'works' if good else 'FAILS'}, {self.cpu:.0f} s of CPU time")
        if not good:
            self.failures.append(what)
            say("\n".join("  " + line for line in self.said.splitlines()[-30:]))

    def bootstrap(self):
        bare = self.options.folder / f"{self.suite}.bare"
        if not (bare / "etc/debian_version").exists():
            say(f"{self.suite}: debootstrap")
            shutil.rmtree(bare, ignore_errors=True)
            self.options.folder.mkdir(parents=True, exist_ok=True)
            progress.doing(f"{self.suite}: debootstrap")
            ubuntu = "ubuntu" in self.options.mirror  # which has Clang in `universe`; all of its versions are made by one script
            parts, script = (["--components=main,universe"], ["gutsy"]) if ubuntu else ([], [])
            done = subprocess.run(["debootstrap", "--variant=minbase", "--include=git,ca-certificates", *parts, self.suite, str(bare),
                                   self.options.mirror, *script], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                say(done.stdout[-2000:])
                shutil.rmtree(bare, ignore_errors=True)
                return False
            if ubuntu:  # as every installed one has it
                with (bare / "etc/apt/sources.list").open("a") as sources:
                    sources.write(f"deb {self.options.mirror} {self.suite}-updates main universe\n")
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", bare, self.folder], check=True)
        self.run(f"useradd -m -d {HOME} builder")
        self.copy_tree()
        return True

    def copy_tree(self):
        """What a clone of this tree has, with what has changed since."""
        for target in (TREE, READ_ONLY, CLONE):
            for name in source_files():
                (self.folder / target[1:] / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / target[1:] / name)
        self.run(f"chown -R builder '{SPACE}'; chmod -R a-w '{READ_ONLY}'; chmod -R a+rX '{READ_ONLY}'")

    def release(self):
        if not self.options.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def commands(self):
        some = " --rounds 1" if self.options.ci else ""
        self.note(f"tools/quickstart{some}, as root", self.run(f"cd {CLONE} && tools/quickstart{some}", network=True, log="quickstart"))
        self.note("--help of every command", self.run(f"cd {CLONE} && for each in tools/*; do test -d $each || test ! -x $each || $each --help || exit 1; done"))
        for user in (["builder"] if self.options.ci else ["root", "builder"]):
            self.run(f"chown -R {user} {CLONE}")
            self.screen(user)

    def screen(self, user):
        """Each line by itself, behind those that set something, so that the one that fails is named."""
        lines, source, compiles = first_screen()
        (self.folder / CLONE[1:] / "fib.c").write_text(source)
        self.run(f"rm -f {CLONE}/program")
        before = f"cd {CLONE}"
        for line in lines:
            if "./program" in line and not (self.folder / CLONE[1:] / "program").exists():  # the reader has one; this is the page's
                line = f"{compiles} && mv fib program && {line}"
            if not self.run(f"{before} && {line}", user, network=True, log=f"first-screen-{user}"):
                return self.note(f"as {user}: {line}", False)
            if line.startswith("export "):
                before += f" && {line}"
        return self.note(f"the {len(lines)} lines of the first screen, as {user}", bool(lines))

    def check(self):
        self.note("tools/check --quick, as root", self.run(f"cd {CLONE} && tools/check --quick", network=True, log="check"))

    def builds(self):
        self.run(f"apt-get {SAME_CHECKS} update -qq && apt-get {SAME_CHECKS} install -qqy --no-install-recommends {NEEDED}", network=True, log="packages")
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
    parser.add_argument("--suites", help="Debian's names for its versions (bookworm trixie)")
    parser.add_argument("--ci", action="store_true", help="what CI runs: commands, with one round, in this machine's own version")
    parser.add_argument("--keep", action="store_true", help="leave the systems, once all is done, as they are then")
    parser.add_argument("--steps", default=" ".join(STEPS), help=f"of {', '.join(STEPS)}")
    parser.add_argument("--clangs", default=CLANGS, help=f"versions, those that the archive has of them ({CLANGS})")
    parser.add_argument("--target", default="everything", help="what is built (everything)")
    parser.add_argument("--cmake", type=Path, help="a folder with another CMake in bin/, for the builds")
    parser.add_argument("--jobs", type=int, default=allowed_cpus(), help="compilations at a time")
    parser.add_argument("--mirror", default=mirror(), help="where debootstrap gets packages from (where this machine's apt does)")
    return parser.parse_args()


def why_not(options):
    """Why there can be no systems here, or nothing."""
    if os.getuid() != 0 or not shutil.which("debootstrap") or not options.mirror:
        return "it needs root, debootstrap, and an apt that knows a mirror of Debian"
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def main():
    options = parse()
    if why := why_not(options):
        say(f"roots: no bare system can be made here: {why}")
        return CANNOT_RUN
    if options.ci:
        options.suites, options.steps = options.suites or own_suite(), "commands"
    options.folder = options.folder.resolve()
    rows, failed = [], 0
    for suite in (options.suites or "bookworm trixie").split():
        system = System(suite, options)
        try:
            if not system.bootstrap():
                say(f"{suite}: cannot be had here")
                continue
            for step in options.steps.split():
                {"commands": system.commands, "check": system.check, "builds": system.builds}[step]()
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

"""Where LLVM's tests of its OpenMP runtime come from: the distribution's source package.

The package sources of the machine say where packages are; the same places, asked for source, have the one we want. apt
checks the signatures. Nothing outside the given folder changes: apt gets its own lists and its own cache there.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from common import say

LLVM = 19
PACKAGE = f"llvm-toolchain-{LLVM}"
# The tests, and a header of libomp's that some of them include; three folders above them are cut off.
WANTED = ["*/openmp/runtime/test/*", "*/openmp/runtime/src/kmp_platform.h"]


class Unavailable(Exception):
    """The tests cannot be had, or not run, on this machine; says why."""


def fetched(cache):
    """The folder with the tests, fetched if `cache` has none. Raises Unavailable."""
    kept = Path(cache).resolve() / f"llvm-{LLVM}-openmp-tests"
    if not kept.exists():
        if not shutil.which("apt-get"):
            raise Unavailable("no apt-get here: this is not Debian or Ubuntu")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as work:
            archive = download(Path(work))
            # Into place by one rename: an interrupted run leaves no half a suite.
            extract(archive, Path(work) / "extracted").rename(kept)
    return kept / "test"


def version(tests):
    return (tests.parent / "VERSION").read_text().strip()


def download(work):
    """The package's source archive, in `work`."""
    sources = source_lists(work / "sources")
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={sources}",
           "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}/cache", "-o", "Acquire::Languages=none"]
    if os.geteuid() == 0:
        apt += ["-o", "APT::Sandbox::User=root"]  # apt's own user may not write here
    say(f"fetching the source of {PACKAGE} (about 160 MB) with apt")
    # Sources that have no source packages make this fail for themselves only; what counts is the next command.
    run([*apt, "update"], work)
    done = run([*apt, "source", "--download-only", "--tar-only", "--only-source", PACKAGE], work)
    archives = list(work.glob(f"{PACKAGE}_*.orig.tar.*"))
    if done.returncode != 0 or len(archives) != 1:
        raise Unavailable(f"apt cannot get the source of {PACKAGE}: {last_line(done.stdout)}")
    return archives[0]


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def last_line(text):
    return (text.strip().splitlines() or ["no reason given"])[-1]


def source_lists(folder):
    """The machine's package sources, each asking for source packages, as files in `folder`."""
    known = dict(re.findall(r"^(\w+)='(.*)'$", subprocess.run(
        ["apt-config", "shell", "MAIN", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"],
        capture_output=True, text=True, check=True).stdout, re.M))
    main, parts = Path(known["MAIN"]), Path(known["PARTS"])
    folder.mkdir()
    for file in [main, *sorted(parts.glob("*.list")), *sorted(parts.glob("*.sources"))]:
        if not file.is_file():
            continue
        lines = file.read_text(errors="replace").splitlines()
        if file.suffix == ".sources":
            lines = [re.sub(r"^(Types:).*", r"\1 deb-src", line, flags=re.I) for line in lines]
        else:
            lines = sorted({re.sub(r"^deb(-src)?\s", "deb-src ", line.strip()) for line in lines})
        (folder / f"{file.stem}{file.suffix}").write_text("\n".join(lines) + "\n")
    return folder


def extract(archive, folder):
    say("extracting the tests")
    folder.mkdir()
    done = run(["tar", "-xf", str(archive), "-C", str(folder), "--strip-components=3", "--wildcards", *WANTED],
               folder.parent)
    if done.returncode != 0 or not (folder / "test" / "lit.cfg").exists():
        raise Unavailable(f"{archive.name} does not hold {WANTED[0]}: {last_line(done.stdout)}")
    (folder / "VERSION").write_text(re.search(r"_(.*)\.orig\.", archive.name).group(1) + "\n")
    return folder

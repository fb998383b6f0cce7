"""Fetches the source archive of a package of the distribution, for the tests that other projects keep there.

The package sources of the machine say where packages are; the same places, asked for source, have the one we want. apt
checks the signatures. Nothing outside the given folder changes: apt gets its own lists and its own cache there.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from common import say


class Unavailable(Exception):
    """What is wanted cannot be had, or not be used, on this machine; says why."""


def download(package, size, work, suite=None):
    """The package's source archive, in `work`; of another suite of the distribution, if one is named. Raises Unavailable."""
    if not shutil.which("apt-get"):
        raise Unavailable("no apt-get here: this is not Debian or Ubuntu")
    sources = source_lists(work / "sources", suite)
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={sources}",
           "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}/cache", "-o", "Acquire::Languages=none"]
    if os.geteuid() == 0:
        apt += ["-o", "APT::Sandbox::User=root"]  # apt's own user may not write here
    say(f"fetching the source of {package} (about {size}) with apt")
    # Sources that have no source packages make this fail for themselves only; what counts is the next command.
    run([*apt, "update"], work)
    done = run([*apt, "source", "--download-only", "--tar-only", "--only-source", package], work)
    archives = list(work.glob(f"{package}_*.orig.tar.*"))
    if done.returncode != 0 or len(archives) != 1:
        raise Unavailable(f"apt cannot get the source of {package}: {last_line(done.stdout)}")
    return archives[0]


def run(command, folder):
    return subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def last_line(text):
    return (text.strip().splitlines() or ["no reason given"])[-1]


def source_lists(folder, suite):
    """The machine's package sources, each asking for source packages (of `suite`), as files in `folder`."""
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
            if suite:
                lines = [re.sub(r"^(Suites:).*", rf"\1 {suite}", line, flags=re.I) for line in lines]
        else:
            lines = sorted({re.sub(r"^deb(-src)?\s", "deb-src ", line.strip()) for line in lines})
            if suite:
                lines = [re.sub(r"(://\S+\s+)\S+", rf"\1{suite}", line) for line in lines]
        (folder / f"{file.stem}{file.suffix}").write_text("\n".join(lines) + "\n")
    return folder

#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the sources of the library and of `chomp explore`, with the flags of a build:

  tools/testing/checks/tidy.py [--changed] BUILD [FILE ...]

A file that was clean is not looked at again while nothing has changed that clang-tidy sees: the file and its headers (as
the build knows them) without their comments, its flags, .clang-tidy and the tool. With `--changed`, of the files of which
only headers have changed, some are looked at for each such header, and the number of the others is said; and what git knows
to be as on the day of the last whole run (`tidy` in dated.txt) was clean, whatever the tool. BUILD/tidy/ has an empty file
for each state that was clean. Status 77: no clang-tidy here, nothing checked.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dated import changed_since, last_run
from source import ROOT, tree_files, without_comments

TOOLS = ("clang-tidy-19", "clang-tidy-22", "clang-tidy-21", "clang-tidy-20", "clang-tidy-18", "clang-tidy-17", "clang-tidy")
SETTINGS = (".clang-tidy", "tools/shipped/explore/.clang-tidy")
NO_TIDY = 77
KEPT_SECONDS = 30 * 24 * 3600  # a state that no run has met for so long is forgotten
SOURCES_OF_A_HEADER = 12  # that are looked at when nothing else has changed
VIRTUAL = "CHOMP_VIRTUAL"  # what is compiled only in the virtual build, and for `chomp explore`
# The analyzer gives a function up after so many states. With its own limit, 225,000, it takes two thirds of the whole time; neither finds anything here.
ANALYZER = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=20000")]
PRECOMPILED = re.compile(r" -Winvalid-pch\b| -Xclang -include(-pch)? -Xclang \S*cmake_pch\S*")  # other versions of Clang cannot read those
SAYS_SOMETHING = re.compile(r"NOLINT|=\s*\*/")  # comments that clang-tidy reads


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False).stdout


def commands_of(build):
    """{file: its entries in compile_commands.json}: the library's first, then that of `chomp explore`."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "cmake_pch" not in entry["file"]:
            found.setdefault(str(Path(entry["file"]).resolve()), []).append({**entry, "command": PRECOMPILED.sub("", entry["command"])})
    return found


def headers_of(build):
    """{file: the files that it includes, itself too}, where the build has compiled it."""
    found = {}
    for block in output_of("ninja", "-C", build, "-t", "deps").split("\n\n"):
        lines = block.splitlines()
        if len(lines) > 1 and "VALID" in lines[0]:
            paths = [os.path.normpath(build / line.strip()) for line in lines[1:] if "cmake_pch" not in line]
            # Not always the first: a precompiled header's own come before it.
            name = Path(lines[0].split(": ")[0]).stem
            own = next((path for path in paths if Path(path).name == name), paths[0])
            found.setdefault(own, paths)
    return found


def digest(*parts):
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_ours(path):
    return Path(path).is_relative_to(ROOT)


class Digests:
    """What clang-tidy sees of a file, in a few letters; of a file of the system when it was changed, which is enough."""

    def __init__(self):
        self._known = {}

    def of(self, path):
        if path not in self._known:
            if is_ours(path):
                text = Path(path).read_text(errors="replace")
                self._known[path] = f"{path} {digest(text if SAYS_SOMETHING.search(text) else without_comments(text))}"
            else:
                state = os.stat(path)
                self._known[path] = f"{path} {state.st_mtime_ns} {state.st_size}"
        return self._known[path]


class Look:
    """One file with one of its commands. `whole` is a name for all that clang-tidy sees of it, `own` for that without our headers,
    `headers` one for each of those; None if the build has not compiled it, or a header is gone."""

    def __init__(self, file, entry, included, always, digests):
        self.file, self.entry = file, entry
        self.whole = self.own = None
        self.headers = {}
        if not included:
            return
        try:
            parts = {path: digests.of(path) for path in sorted(included)}
        except OSError:
            return
        self.headers = {path: digest("header", always, part) for path, part in parts.items() if is_ours(path) and path != file}
        self.own = digest("own", always, entry["command"], *(part for path, part in parts.items() if path not in self.headers))
        self.whole = digest(file, always, entry["command"], *parts.values())

    def run(self, tidy):
        with tempfile.TemporaryDirectory() as folder:
            # A list of its own: with that of the build, clang-tidy looks at a file once for each target that compiles it.
            (Path(folder) / "compile_commands.json").write_text(json.dumps([self.entry]))
            return subprocess.run([tidy, "-p", folder, "--quiet", "--warnings-as-errors=*", *ANALYZER, self.file], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, check=False)


def looks_at(files, commands, headers, always, digests):
    """Each file as it is in the library, and for each file of ours that is something else in the virtual build one that includes it, so."""
    looks, seen = [], set()
    for file in files:
        looks.append(Look(file, commands[file][0], headers.get(file), always, digests))
        included = {path for path in headers.get(file, [file])
                    if is_ours(path) and path not in seen and os.path.exists(path) and VIRTUAL in Path(path).read_text(errors="replace")}
        if included and len(commands[file]) > 1:
            seen |= included
            looks.append(Look(file, commands[file][1], headers.get(file), always, digests))
    return looks


def for_each_header(looks, known):
    """Those that stand for the others of which only headers have changed: for each such header the source of its name, if there is one,
    and more."""
    chosen = []
    for header in sorted({header for look in looks for header, name in look.headers.items() if not known(name)}):
        including = sorted((look for look in looks if header in look.headers), key=lambda look: (Path(look.file).stem != Path(header).stem,
                           look not in chosen, Path(look.file).parent != Path(header).parent, look.file))
        chosen += [look for look in including[:SOURCES_OF_A_HEADER] if look not in chosen]
    return chosen


def trust_last_run(looks, clean):
    """Notes as clean what is as it was when all was clean."""
    changed = changed_since(last_run("tidy"))
    if changed is None or any(name in SETTINGS or name.endswith(("CMakeLists.txt", ".cmake", "Presets.json")) for name in changed):
        return
    for look in looks:
        ours = {path: name for path, name in [(look.file, look.own), *look.headers.items()] if os.path.relpath(path, ROOT) not in changed}
        if len(ours) == 1 + len(look.headers):
            ours["whole"] = look.whole
        for name in filter(None, ours.values()):
            (clean / name).touch()


def main():
    words = sys.argv[1:]
    changed = "--changed" in words
    build, *named = (word for word in words if word != "--changed")
    build = Path(build).resolve()
    tidy = next(filter(None, map(shutil.which, TOOLS)), None)
    if tidy is None:
        print("tidy: no clang-tidy here")
        return NO_TIDY
    commands = commands_of(build)
    sources = named or tree_files("runtime", "schedulers", "abi", "tools/shipped/explore", suffixes=(".cpp",))
    # A file that no target builds yet has no flags to be checked with.
    files = [file for file in (str(ROOT / name) for name in sources) if file in commands]
    always = output_of(tidy, "--version") + " ".join(ANALYZER) + "".join((ROOT / name).read_text() for name in SETTINGS)
    looks = looks_at(files, commands, headers_of(build), always, Digests())
    clean = build / "tidy"
    clean.mkdir(exist_ok=True)

    def known(name):
        return name is not None and (clean / name).exists()

    if changed:
        trust_last_run(looks, clean)
    todo = [look for look in looks if not known(look.whole)]
    left = []
    if changed:
        stand_in = for_each_header(looks, known)
        left = [look for look in todo if known(look.own) and look not in stand_in]
        todo = [look for look in todo if look not in left]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = list(pool.map(lambda look: look.run(tidy), todo))
    bad = {look: done for look, done in zip(todo, said) if done.returncode != 0}
    for look in looks:
        if look in bad and known(look.own):
            (clean / look.own).unlink()  # until it is clean, it is looked at each time
        if look.whole and look not in left and look not in bad:
            for name in (look.whole, look.own, *(() if bad else look.headers.values())):
                (clean / name).touch()
    for old in clean.iterdir():
        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
            old.unlink()
    print("".join(done.stdout for done in bad.values()), end="")
    if not files:
        print(f"tidy: no file is built in {build}")
    later = {look.file for look in left}
    if later:
        print(f"tidy: {len(later)} files of which only headers have changed")
    print(f"tidy: {len(files)} files, {len({look.file for look in looks} - {look.file for look in todo} - later)} of them as they were when they were clean")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())

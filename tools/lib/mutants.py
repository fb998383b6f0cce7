"""Mutants: bugs put in on purpose, which tests must find. Each is a patch in a file of test/mutants, behind a line `mutant NAME`. Its
first line says what is wrong then, a second one which tests show it. Those of explored.patch are for `tools/explore --mutants`, and
their second line may name a program of test/explore/programs. Those of lit/, a file for each folder of the library, are for
`tools/check mutants`, and it is a regular expression of paths of tests. A third line, `built into FILE`, spares one of a header to
compile all that includes it: the rest of the library stays right.
tools/testing/checks/mutants_apply.py applies each."""

import functools
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import progress
from common import ROOT, die

FOLDER = ROOT / "test" / "mutants"


@functools.cache
def patches():
    """By name, which begins with the folder's; a name stands once."""
    found = {}
    for path in sorted(FOLDER.rglob("*.patch")):
        for name, text in re.findall(r"^mutant (\w+)\n(.*?)(?=^mutant \w+$|\Z)", path.read_text(), re.M | re.S):
            found.setdefault(str((path.parent / name).relative_to(FOLDER)), []).append(text)
    if twice := [name for name, texts in found.items() if len(texts) > 1]:
        die(f"mutants that are there twice: {' '.join(twice)}", 2)
    return {name: text for name, (text,) in found.items()}


def names(folder="."):
    return sorted(name for name in patches() if str(Path(name).parent) == folder)


def shown_by(name):
    """What shows it, or shows it first; None: not known."""
    found = re.search(r"^shown by (.+)$", patches()[name], re.M)
    return found and found[1]


def files_of(name):
    return re.findall(r"^\+\+\+ b/(\S+)$", patches()[name], re.M)


def apply(text, *options):
    """What git says where the patch does not apply to the tree; nothing if it does."""
    done = subprocess.run(["git", "apply", *options, "-"], cwd=ROOT, input=text, text=True, capture_output=True, check=False)
    return done.stderr.strip() if done.returncode != 0 else ""


def patched(name, folder):
    """Puts the files that the mutant changes into `folder`, under their names in the tree."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in files_of(name):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, folder / file)
    if why := apply(patches()[name], f"--directory={folder.relative_to(ROOT)}"):
        die(f"mutant {name}: {why}", 2)


def ninja(build, *words):
    return subprocess.run(["ninja", "-C", str(build), *words], text=True, capture_output=True, check=True).stdout


def built_into(name):
    """The only source to compile; empty: all that the mutant changes."""
    found = re.search(r"^built into (.+)$", patches()[name], re.M)
    return found[1] if found else ""


def objects_with(build, files, only=""):
    """Those objects of the library into which one of these files is compiled; `only`: that of this source."""
    found = set()
    for block in ninja(build, "-t", "deps").split("\n\n"):
        target, *sources = block.strip().splitlines() or [""]
        if target.startswith("CMakeFiles/omp.dir/") and target.split(":")[0].endswith(f"{only}.o") and any(
                line.strip().endswith(f"/{file}") for line in sources for file in files):
            found.add(target.split(":")[0])
    return found


def build_library(name, build, jobs):
    """Compiles what the mutant changes, links it with the rest of that build, and returns the folder of the library."""
    home = build / "mutants" / name
    patched(name, home / "source")
    return build_changed(home, files_of(name), build, jobs, built_into(name))


def build_changed(home, files, build, jobs, only=""):
    """The library of that build, in which what these files go into is compiled with the files that home/source has."""
    wanted, links = objects_with(build, files, only), {}
    commands = []
    for each in json.loads(ninja(build, "-t", "compdb")):
        if each["output"] not in wanted:
            continue
        links[each["output"]] = home / "objects" / each["output"]
        links[each["output"]].parent.mkdir(parents=True, exist_ok=True)
        command = each["command"].replace(f"-I{ROOT} ", f"-I{home / 'source'} -I{ROOT} ").replace(" -Werror", " -w")
        for option, end in (("-o", ""), ("-MF", ".d")):
            command = command.replace(f"{option} {each['output']}{end} ", f"{option} {links[each['output']]}{end} ")
        for file in filter(lambda file: (home / "source" / file).exists(), files):
            command = command.replace(f"-c {ROOT / file}", f"-c {home / 'source' / file}")
        commands.append(command)

    def run(command):
        done = subprocess.run(command, shell=True, cwd=build, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            die(f"{home}: {done.stderr[-4000:]}", 2)

    with progress.Pool(jobs) as pool:
        list(pool.map(run, commands))
    words = shlex.split(ninja(build, "-t", "commands", "lib/libomp.so").splitlines()[-1].split(" && ")[1])
    words = [str(links.get(word, word)) for word in words]
    words[words.index("-o") + 1] = str(home / "lib" / "libomp.so")
    (home / "lib").mkdir(exist_ok=True)
    run(shlex.join(words))
    (home / "lib" / "libomp.so.5").unlink(missing_ok=True)
    (home / "lib" / "libomp.so.5").symlink_to("libomp.so")
    shutil.rmtree(home / "objects", ignore_errors=True)
    return home / "lib"

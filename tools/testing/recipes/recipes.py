"""Applies the recipes of test/recipes, patches that add one thing each, to a copy of the tree, builds its library, and runs
their tests.

  tools/check recipes                     all of them, in one copy and one build
  tools/check recipes kind_of_task        some

A recipe is how one adds such a thing: the patch, with a word on each hunk, and its test, a file of the same name. It may
touch five files of source; how many, and how many lines, is printed. Only what the patches change is compiled: all other
objects come from the Release build."""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import mutants  # noqa: E402
from common import ROOT, allowed_cpus, build, clean_environment, die, has_module, say, source_files  # noqa: E402

FOLDER = ROOT / "test" / "recipes"
RELEASE = ROOT / "build" / "release"
HOME = ROOT / "build" / "recipes"
TREE = HOME / "tree"
MOST_FILES = 5


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check recipes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (all)")
    parser.add_argument("--jobs", "-j", type=int, default=allowed_cpus(), metavar="N", help="at a time (one for each CPU)")
    parser.add_argument("--built", action="store_true", help="the Release build is up to date, and others use it")
    return parser.parse_args()


def all_names():
    return sorted(patch.stem for patch in FOLDER.glob("*.patch"))


def files_of(name):
    """The files that the patch touches, tests aside, and how many lines it adds and takes away."""
    text = (FOLDER / f"{name}.patch").read_text()
    files = {file for file in re.findall(r"^\+\+\+ b/(\S+)$", text, re.M) if not file.startswith("test/")}
    return files, len(re.findall(r"^\+(?!\+\+ )", text, re.M)), len(re.findall(r"^-(?!-- )", text, re.M))


def put(source, target):
    """Only what is another now, so that nothing else is built again."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        target.touch()


def make_tree(names):
    """A copy of the tree, without its tests, to which the patches have been applied. The files that they touch."""
    touched = set().union(*(files_of(name)[0] for name in names))
    fresh = HOME / "patched"
    shutil.rmtree(fresh, ignore_errors=True)
    for file in touched:
        (fresh / file).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / file).exists():
            shutil.copy2(ROOT / file, fresh / file)
    for name in names:
        done = subprocess.run(["git", "apply", f"--directory={fresh.relative_to(ROOT)}", "--exclude=*/test/*", FOLDER / f"{name}.patch"],
                              cwd=ROOT, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            die(f"recipe {name} does not apply:\n{done.stderr.strip()}", 1)
    wanted = {file for file in source_files() if not file.startswith("test/")} | touched
    for old in source_files(TREE) if TREE.exists() else []:
        if old not in wanted and not old.startswith("build/"):
            (TREE / old).unlink()
    for file in wanted:
        put(fresh / file if file in touched else ROOT / file, TREE / file)
    return touched


def unchanged_objects(touched):
    """The library's objects in the Release build that were compiled from no file that is touched, and from nothing generated: a
    line each, with what they depend on, as Make has it."""
    for block in mutants.ninja(RELEASE, "-t", "deps").split("\n\n"):
        target, *sources = block.strip().splitlines() or [""]
        target = target.split(":")[0]
        paths = [(RELEASE / line.strip()).resolve() for line in sources]
        own = [path.relative_to(ROOT) for path in paths if path.is_relative_to(ROOT)]
        if target.startswith("CMakeFiles/omp.dir/") and own and not any(str(path) in touched or path.parts[0] == "build" for path in own):
            yield f"{target}: {' '.join(os.path.relpath(path, RELEASE) if path.is_relative_to(ROOT) else str(path) for path in paths)}\n"


def targets_of(names):
    """The library, and the reader of recordings if a test uses it."""
    tests = [test.read_text() for name in names for test in FOLDER.glob(f"{name}.*") if test.suffix != ".patch"]
    return ["omp"] + [program for program in ("chomp-analyse",) if any(f"/{program} " in test for test in tests)]


def build_tree(names, touched, jobs):
    unchanged = HOME / "unchanged"
    unchanged.write_text("".join(unchanged_objects(touched)))
    launcher = f"{Path(__file__).with_name('reuse')};{RELEASE};{unchanged}"
    for command in (["cmake", "--preset", "release", f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
                     f"-DCMAKE_ASM_COMPILER_LAUNCHER={launcher}"],
                    ["cmake", "--build", "build/release", "-j", str(jobs), "--target", *targets_of(names)]):
        done = subprocess.run(command, cwd=TREE, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            die(f"recipes: {' '.join(command[:3])}:\n{done.stdout[-6000:]}", 1)


def run_tests(names, jobs):
    python = ROOT / ".venv" / "bin" / "python"
    lit = [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else ["lit"]
    tests = [test for name in names for test in FOLDER.glob(f"{name}.*") if test.suffix != ".patch"]
    return subprocess.run([*lit, "-v", "--no-progress-bar", "-j", str(jobs), "--param", f"build={TREE / 'build' / 'release'}", "--param",
                           f"recipes={TREE}", *tests], env=clean_environment(), check=False).returncode


def main():
    options = parse_arguments()
    names = options.names or all_names()
    if unknown := [name for name in names if name not in all_names()]:
        die(f"recipes: there is no {', '.join(unknown)}; there are {', '.join(all_names())}", 2)
    began = time.monotonic()
    if not options.built and not build("release", ["omp"]):
        return 2
    built = resource.getrusage(resource.RUSAGE_CHILDREN)
    large = []
    for name in names:
        files, added, removed = files_of(name)
        say(f"recipe {name}: {len(files)} files of source, +{added} -{removed} lines")
        large += [name] if len(files) > MOST_FILES else []
    touched = make_tree(names)
    build_tree(names, touched, options.jobs)
    status = run_tests(names, options.jobs)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - built.ru_utime - built.ru_stime
    if large:
        say(f"more than {MOST_FILES} files of source: {', '.join(large)}")
    say(f"recipes: {len(names)} recipes, {'right' if status == 0 and not large else 'not right'}, {time.monotonic() - began:.0f} s, {cpu:.0f} of CPU")
    return int(status != 0 or bool(large))


if __name__ == "__main__":
    sys.exit(main())

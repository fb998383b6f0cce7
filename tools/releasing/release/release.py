"""Makes a release: checks what must agree, builds every artefact, tests each, and sets the tag.

    tools/package release --dry-run [--output DIR] [--without NAME,...]   everything but the tag
    tools/package release --sign KEY                                      the same, then the tag, which a person pushes

Artefacts: wheel (this machine), wheel-aarch64, wheels-musl, debian, archives. What cannot be made here is said, and the dry run fails,
unless it is named in --without. All but wheel-aarch64 and wheels-musl are built twice and compared; the sums of all are signed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[2] / "lib"), str(Path(__file__).resolve().parent)]
import provenance  # noqa: E402
from common import ROOT, Stopwatch, allowed_cpus, die, say  # noqa: E402

HERE = Path(__file__).resolve().parent
CHECKS = ROOT / "tools" / "testing" / "checks"
OLD_GLIBC = "2.17"


def version_of(text):
    return re.search(r"^project\(chomp VERSION ([\d.]+)", text, re.M).group(1)


def changes_of(changelog, version):
    """The section of a version, or of what is to be released; its heading and its lines."""
    for heading in (rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", r"\[Unreleased\]"):
        found = re.search(rf"^## ({heading})$(.*?)(?=^## |\Z)", changelog, re.M | re.S)
        if found:
            return found.group(1), found.group(2).strip()
    return None, ""


def problems_of(root, tags, dirty, final):
    """What forbids a release: of the version, the changelog, the tag, the tree."""
    version = version_of((root / "CMakeLists.txt").read_text())
    heading, changes = changes_of((root / "CHANGELOG.md").read_text(), version)
    if not changes:
        yield f"CHANGELOG.md has no entry for {version}"
    elif final and heading == "[Unreleased]":
        yield f"CHANGELOG.md: [Unreleased] has to become [{version}] - {time.strftime('%Y-%m-%d', time.gmtime())}"
    if f"v{version}" in tags:
        yield f"the tag v{version} is there already: another version has to be in CMakeLists.txt"
    if dirty:
        yield "there are changes that are not committed:\n" + dirty
    # The version stands in the top CMakeLists.txt; who says it elsewhere has to say the same.
    for file, pattern in (("tools/releasing/package/spack/package.py", r'^    version\("([\d.]+)"'), ("tools/releasing/package/conda/recipe.yaml", r'^  version: "([\d.]+)"')):
        said = re.search(pattern, (root / file).read_text(), re.M)
        if said and said.group(1) != version:
            yield f"{file} has version {said.group(1)}, not {version}"


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


CANNOT_TEST = 77
untested = []  # commands that could not test here, and why


def run(*command, cwd=ROOT):
    words = " ".join(str(word) for word in command)
    say(words)
    last = ""
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as done:
        for line in done.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    if done.returncode not in (0, CANNOT_TEST):
        die(f"{command[0]} fails with status {done.returncode}")
    if done.returncode == CANNOT_TEST:
        untested.append(f"{words}: {last}")
    return done.returncode


# ---- The artefacts: each has a function that builds it from a tree, and one that tests it ------------------------------


def package(tree, *words):
    run(tree / "tools" / "package", *words, "--checked", cwd=tree)


def build_archives(tree, output):
    folder = tree / "build" / "archives"
    run("cmake", "--preset", "release", "-B", folder, "-DCHOMP_REPRODUCIBLE=ON", "-DCHOMP_TESTS=OFF", "-DCHOMP_PROGRAMS=OFF", cwd=tree)
    run("cmake", "--build", folder, "--target", "everything", cwd=tree)
    run("cpack", "-B", output, cwd=folder)


def test_archives(output):
    run(CHECKS / "install.sh", "build/archives")
    run(CHECKS / "first_minutes.py", "--packages", output, "compiler")


def build_wheel(tree, output):
    package(tree, "wheel", "--glibc", OLD_GLIBC, "--output", output)


def test_wheel(output):
    run(CHECKS / "races_page.sh", *output.glob(f"*manylinux*_{os.uname().machine}.whl"))
    run(CHECKS / "first_minutes.py", "--packages", output, "python")


def build_wheel_aarch64(tree, output):
    package(tree, "wheel", "--glibc", OLD_GLIBC, "--machine", "aarch64", "--output", output)


def test_wheel_aarch64(output):
    run(CHECKS / "cross.sh", "aarch64", *output.glob("*-manylinux_*_aarch64.whl"))


def build_wheels_musl(tree, output):
    for machine in ("x86_64", "aarch64"):
        package(tree, "wheel", "--musl", "--machine", machine, "--output", output)


def test_wheels_musl(output):
    for wheel in sorted(output.glob("*-musllinux_*.whl")):
        run(CHECKS / "musl.sh", wheel)


def build_debian(tree, output):
    package(tree, "debian", "--output", output)


def test_debian(output):
    run(CHECKS / "debian.sh", output)
    run(CHECKS / "first_minutes.py", "--packages", output, "apt")


ARTEFACTS = {"archives": (build_archives, test_archives), "wheel": (build_wheel, test_wheel),
             "wheel-aarch64": (build_wheel_aarch64, test_wheel_aarch64), "wheels-musl": (build_wheels_musl, test_wheels_musl),
             "debian": (build_debian, test_debian)}
REPRODUCED = ("archives", "wheel", "debian")  # the other wheels are built as the wheel is


def build_library(tree):
    """The Release library of a tree, for compare_abi()."""
    folder = tree / "build" / "archives"
    run("cmake", "--preset", "release", "-B", folder, "-DCHOMP_TESTS=OFF", "-DCHOMP_PROGRAMS=OFF", cwd=tree)
    run("cmake", "--build", folder, "--target", "omp", cwd=tree)
    return folder / "lib" / "libomp.so"


def share_compilations(jobs, output):
    """Lets every build of the release take what another has compiled, by ccache if it is there: that of the Debian packages has
    the flags of the Release build, in a folder below `output`. (zig has a cache of its own.) At most `jobs` compilers at a time."""
    os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] = str(jobs)
    os.environ["DEB_BUILD_OPTIONS"] = f"parallel={jobs}"
    if shutil.which("ccache") is None:
        return say("no ccache: the library is compiled twice, for the archives and for the Debian packages")
    # Nothing of the user's cache is taken: ccache does not compare the values of -ffile-prefix-map, so its objects may name
    # files in another way; the build-id depends on the names.
    cache = ROOT / "build" / "ccache-of-release"
    shutil.rmtree(cache, ignore_errors=True)
    # debhelper has a home and a locale of its own. Names below the common folder count as relative.
    return os.environ.update({"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DIR": str(cache),
                              "CCACHE_BASEDIR": os.path.commonpath([ROOT, output]), "CCACHE_NOHASHDIR": "1",
                              "CCACHE_SLOPPINESS": "locale"})


def compare_abi(tags, version):
    found = provenance.compare_abi(ROOT / "build" / "archives" / "lib" / "libomp.so", tags, version, build_library)
    if found:
        say(found)
    else:
        untested.append("the ABI beside the last release's: no abidiff (Debian: abigail-tools)")


def end_of(version, problems, final, left_out=()):
    """What forbids the end of a release when the artefacts are there, or nothing. A test that could not test is no pass."""
    for name in left_out:
        say(f"not made, as asked: {name}")
    for command in untested:
        say(f"not tested here: {command}")
    if problems:
        return "the artefacts are there; but see above"
    if untested and final:
        return f"no tag v{version}: {len(untested)} step(s) could not test here; see above"
    return None


def main():
    parser = argparse.ArgumentParser(prog="tools/package release", description="Build and test all artefacts of a release, then set its tag.")
    parser.add_argument("--dry-run", action="store_true", help="everything but the tag")
    parser.add_argument("--check", action="store_true", help="only look whether version, changelog, tag and tree allow a release")
    parser.add_argument("--output", metavar="DIR", type=Path, help="where the artefacts go (build/packages/VERSION)")
    parser.add_argument("--without", metavar="NAME,...", default="", help="leave out: " + ", ".join(ARTEFACTS))
    parser.add_argument("--sign", metavar="KEY", help="gpg's name of the key that signs the sums; a dry run can do without")
    parser.add_argument("--jobs", metavar="N", type=int, default=allowed_cpus(), help="compilers at a time (one for each CPU)")
    options = parser.parse_args()
    left_out = set(filter(None, options.without.split(",")))
    if unknown := left_out - ARTEFACTS.keys():
        die(f"no artefact {', '.join(sorted(unknown))}; there are {', '.join(ARTEFACTS)}")
    final = not options.dry_run and not options.check
    if final and left_out:
        die("a release has all artefacts: --without goes with --dry-run")
    if final and not options.sign:
        die("a release is signed: --sign KEY")
    tags = git("tag", "--list").split()
    problems = list(problems_of(ROOT, tags, git("status", "--porcelain", "--untracked-files=no"), final))
    for problem in problems:
        say(problem)
    if problems and (final or options.check):
        die("no release")
    version = version_of((ROOT / "CMakeLists.txt").read_text())
    if options.check:
        return say(f"{version} can be released")
    output = (options.output or ROOT / "build" / "packages" / version).resolve()
    output.mkdir(parents=True, exist_ok=True)
    for old in (file for kind in (*provenance.KINDS, "*.sha256", "*.spdx.json") for file in output.glob(kind)):
        os.unlink(old)
    shutil.rmtree(output / "again", ignore_errors=True)
    run(ROOT / "tools" / "lib" / "setup.sh", "release")
    share_compilations(options.jobs, output)
    os.environ["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    took = []

    def timed(name, step):
        watch = Stopwatch()
        step()
        took.append(f"{name} {watch.seconds() / 60:.1f}")

    chosen = [name for name in ARTEFACTS if name not in left_out]
    run(sys.executable, ROOT / "test" / "tools" / "recipes_are_current.test", ROOT)  # of Spack and conda, which build from the tag
    for name in chosen:
        say(f"{name} of {version}")
        build, test = ARTEFACTS[name]
        timed(name, lambda: (build(ROOT, output), test(output)))  # pylint: disable=cell-var-from-loop
    again = [ARTEFACTS[name][0] for name in REPRODUCED if name in chosen]
    if again:
        timed("the same again", lambda: provenance.reproduce(output, lambda tree, folder: [build(tree, folder) for build in again]))
    if "archives" in chosen:
        timed("ABI", lambda: compare_abi(tags, version))
    run(ROOT / ".venv" / "bin" / "python", HERE / "bill.py", output, version, git("rev-parse", "HEAD"))
    provenance.write_sums(output)
    if options.sign:
        provenance.sign(output, options.sign)
    else:
        provenance.sign_for_practice(output)
    say(f"minutes: {', '.join(took)}")
    if refused := end_of(version, problems, final, sorted(left_out)):
        die(refused)
    if final:
        notes = changes_of((ROOT / "CHANGELOG.md").read_text(), version)[1]
        git("tag", "--annotate", f"v{version}", "--message", f"chomp {version}\n\n{notes}")
        return say(f"tag v{version} is set: git push origin v{version}; SHA256SUMS.asc goes with the artefacts")
    less = f", but for {len(left_out)} artefact(s) and {len(untested)} test(s) that are not: see above" if left_out or untested else ""
    return say(f"{version} could be released{less}; the artefacts are in {output}")


if __name__ == "__main__":
    main()

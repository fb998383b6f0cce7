"""Builds what a run needs: the pattern programs for each compiler, and chomp itself unless it is given."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import threading

from common import allowed_cpus
from programs import place_of

from .catalog import Pattern

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parents[2]
PATTERNS = HERE / "patterns"
UTS = ROOT / "uts"
INCLUDES = [f"-I{ROOT / 'bots'}", f"-I{ROOT / 'bots' / 'kernels'}"]  # of the project's programs
FLAGS = ["-O2", "-gdwarf-4", "-Wall", "-Wextra"]  # valgrind 3.19 cannot read what Clang 19 writes for -g
# One loop body is compiled once for each schedule. Where the copies lie must not decide which schedule wins.
MORE_FLAGS = {"loops": ["-falign-functions=64", "-falign-loops=64"]}


def newer(target: pathlib.Path, sources: list[pathlib.Path]) -> bool:
    """Whether the target exists and no source has changed since."""
    return target.exists() and all(s.stat().st_mtime <= target.stat().st_mtime for s in sources)


def compile_to(target: pathlib.Path, sources: list[pathlib.Path], command: list[str], headers: list[pathlib.Path],
               libraries: list[str] | None = None) -> pathlib.Path:
    """Runs `command sources -o target libraries` if a source has changed; under another name first, for others may run it. Constructs
    name their source: without the tree's path, whose length would move other data. Where the compiler is missing, what came with the
    folder is taken as it is."""
    if not newer(target, sources + headers) and not (target.exists() and shutil.which(command[0]) is None):
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.resolve().with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}")
        whole = [source.resolve() for source in sources]
        names = [str(source.relative_to(ROOT) if source.is_relative_to(ROOT) else source) for source in whole]
        done = subprocess.run([*command, *names, "-o", str(made), *(libraries or [])], cwd=ROOT, check=False)
        if done.returncode != 0:
            raise SystemExit(f"bench: {command[0]} could not build {target.name}")
        made.replace(target)
    return target


def build_c_program(build: pathlib.Path, compiler: str, command: str, name: str, more: list[str] | None = None,
                    known: list[pathlib.Path] | None = None) -> pathlib.Path:
    """A pattern program with one compiler's OpenMP; with more flags, which name the known files."""
    sources = [PATTERNS / f"{name}.c", PATTERNS / "harness.c", PATTERNS / "harness_omp.c"]
    return compile_to(build / "bin" / f"{name}-{compiler}", sources, [command, *FLAGS, *MORE_FLAGS.get(name, []), "-std=gnu11", "-fopenmp", *(more or [])],
                      [*PATTERNS.glob("*.h"), *(known or [])], ["-lm"])


def cxx_of(clang: str) -> str:
    """The C++ driver beside the C one."""
    path = pathlib.Path(clang)
    name = path.name.replace("clang", "clang++", 1)
    return name if path.name == clang else str(path.with_name(name))


def tbb_sources(name: str) -> list[pathlib.Path]:
    """The sources of a oneTBB twin; the harness, and for UTS the tree, are C."""
    return [PATTERNS / "harness.c", *([UTS / "tree.c", UTS / "sha1.c"] if name == "uts" else []), PATTERNS / f"{name}_tbb.cpp",
            PATTERNS / "harness_tbb.cpp"]


def build_tbb_program(build: pathlib.Path, clang: str, name: str) -> pathlib.Path:
    headers = [*PATTERNS.glob("*.h"), *UTS.glob("*.h")]
    sources = tbb_sources(name)
    objects = [compile_to(build / "bin" / f"{c.stem}.o", [c], [clang, *FLAGS, "-std=gnu11", "-ffp-contract=off", "-c"], headers)
               for c in sources if c.suffix == ".c"]
    return compile_to(build / "bin" / f"{name}-tbb", [*(c for c in sources if c.suffix != ".c"), *objects],
                      [cxx_of(clang), *FLAGS, *MORE_FLAGS.get(name, []), "-std=c++20", f"-I{UTS}"], headers, ["-ltbb", "-lm"])


def external_headers() -> list[pathlib.Path]:
    return [header for suite in ("uts", "bots") for header in (ROOT / suite).rglob("*.h")]


def external_sources(program: str) -> list[pathlib.Path]:
    """The sources of one of the project's programs."""
    suite, folder = place_of(program)
    common = ROOT / "bots" / "common"
    if suite == "uts":
        return [*sorted(UTS.glob("*.c")), common / "report.c"]
    name = "*" if suite == "bots" else program.partition("-")[2]
    return [*sorted((ROOT / suite / folder).glob(f"{name}.c")), *sorted(common.glob("*.c"))]


def build_external(build: pathlib.Path, compiler: str, command: str, program: str, more: list[str] | None = None,
                   known: list[pathlib.Path] | None = None) -> pathlib.Path | None:
    """A program of bots/ or uts/ with one compiler's OpenMP; None in a tree that does not have it. `more` and `known` as above."""
    if not UTS.is_dir() or not (ROOT / "bots").is_dir():
        return None
    flags = ["-O2", "-g", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off", *INCLUDES, "-fopenmp", *(more or [])]
    return compile_to(build / "bin" / f"{program}-{compiler}", external_sources(program), [command, *flags],
                      [*external_headers(), *(known or [])], ["-lm"])


def build_program(build: pathlib.Path, pattern: Pattern, compiler: str, clang: str, gcc: str) -> pathlib.Path | None:
    """The program of a pattern as one kind of runtime needs it: "clang", "gcc", "tbb" or "serial"."""
    if compiler == "tbb":
        return build_tbb_program(build, clang, pattern.program.removeprefix("bots-"))
    kind, command = ("gcc", gcc) if compiler == "gcc" else ("clang", clang)
    if pattern.external:
        return build_external(build, kind, command, pattern.program)
    return build_c_program(build, kind, command, pattern.program)


def build_chomp(build: pathlib.Path) -> pathlib.Path:
    """Configures and builds a Release chomp under the bench's own build directory; the directory of its library."""
    where = build / "chomp"
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(where), "-DCMAKE_BUILD_TYPE=Release", "-DCHOMP_TESTS=OFF",
                    "-DCHOMP_PROGRAMS=OFF"], check=True)
    subprocess.run(["cmake", "--build", str(where), "--target", "omp", "--parallel", str(allowed_cpus())], check=True)
    return where / "lib"


def chomp_library(given: str, build: pathlib.Path) -> pathlib.Path | None:
    """The library to measure: `none`, a directory that has it, the file, or (empty) one built here."""
    if given == "none":
        return None
    path = pathlib.Path(given) if given else build_chomp(build)
    library = path / "libomp.so" if path.is_dir() else path
    if not library.exists():
        raise SystemExit(f"bench: no chomp library at {library}")
    return library.resolve()

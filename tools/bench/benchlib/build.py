"""Builds what a run needs: the floor, the pattern programs for each compiler, and chomp itself unless it is given."""

from __future__ import annotations

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
PATTERNS = HERE / "patterns"
FLAGS = ["-O2", "-gdwarf-4", "-Wall", "-Wextra"]  # valgrind 3.19 cannot read what Clang 19 writes for -g


def newer(target: pathlib.Path, sources: list[pathlib.Path]) -> bool:
    """The target exists and no source has changed since."""
    return target.exists() and all(s.stat().st_mtime <= target.stat().st_mtime for s in sources)


def compile_to(target: pathlib.Path, sources: list[pathlib.Path], command: list[str],
               headers: list[pathlib.Path]) -> pathlib.Path:
    """Runs `command sources -o target` when something changed."""
    if not newer(target, sources + headers):
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*command, *map(str, sources), "-o", str(target)], check=True)
    return target


def build_floor(build: pathlib.Path, clang: str) -> pathlib.Path:
    """The ABI floor, named as the library it stands in for."""
    exports = HERE / "floor" / "exports.map"
    command = [clang, "-O3", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-soname,libomp.so.5",
               f"-Wl,--version-script={exports}"]
    return compile_to(build / "floor" / "libomp.so.5", [HERE / "floor" / "floor.c"], command, [exports])


def build_c_program(build: pathlib.Path, compiler: str, command: str, name: str) -> pathlib.Path:
    """A pattern program with one compiler's OpenMP."""
    sources = [PATTERNS / f"{name}.c", PATTERNS / "harness.c", PATTERNS / "harness_omp.c"]
    return compile_to(build / "bin" / f"{name}-{compiler}", sources, [command, *FLAGS, "-std=gnu11", "-fopenmp"],
                      [PATTERNS / "harness.h"])


def build_tbb_program(build: pathlib.Path, clang: str, name: str) -> pathlib.Path:
    """A oneTBB twin; the harness is compiled as C."""
    common = build / "bin" / "harness.o"
    compile_to(common, [PATTERNS / "harness.c"], [clang, *FLAGS, "-std=gnu11", "-c"], [PATTERNS / "harness.h"])
    sources = [PATTERNS / f"{name}_tbb.cpp", PATTERNS / "harness_tbb.cpp", common]
    target = build / "bin" / f"{name}-tbb"
    if newer(target, [*sources, PATTERNS / "harness.h"]):
        return target
    subprocess.run([clang.replace("clang", "clang++"), *FLAGS, "-std=c++20", *map(str, sources), "-ltbb", "-o", str(target)],
                   check=True)
    return target


def external_sources(program: str) -> list[pathlib.Path]:
    """What one of the project's programs is made of."""
    bots = ROOT / "bots"
    if program == "uts":
        return [*sorted((ROOT / "uts").glob("*.c")), bots / "common" / "report.c"]
    return [*sorted((bots / program.removeprefix("bots-")).glob("*.c")), *sorted((bots / "common").glob("*.c"))]


def build_external(build: pathlib.Path, compiler: str, command: str, program: str) -> pathlib.Path | None:
    """A program of bots/ or uts/ with one compiler's OpenMP; None in a tree that does not have it."""
    sources = external_sources(program)
    if not (ROOT / "uts").is_dir() or not (ROOT / "bots").is_dir():
        return None
    flags = ["-O2", "-g", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off", f"-I{ROOT / 'bots'}", "-fopenmp"]
    target = build / "bin" / f"{program}-{compiler}"
    headers = [*(ROOT / "uts").glob("*.h"), *(ROOT / "bots").rglob("*.h")]
    if not newer(target, sources + headers):
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([command, *flags, *map(str, sources), "-o", str(target), "-lm"], check=True)
    return target


def build_chomp(build: pathlib.Path) -> pathlib.Path:
    """Configures and builds a Release chomp under the bench's own build directory; the directory of its library."""
    where = build / "chomp"
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(where), "-DCMAKE_BUILD_TYPE=Release", "-DCHOMP_TESTS=OFF",
                    "-DCHOMP_PROGRAMS=OFF"], check=True)
    subprocess.run(["cmake", "--build", str(where), "--parallel"], check=True)
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

"""The OpenMP libraries that programs are run on."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import scheduler_list
from benchlib import runtimes as peers
from binding import preloadable
from common import ROOT, cache_value, die

BENCH_BUILD = ROOT / "build" / "bench"  # where tools/bench keeps what it fetched and built
PEERS = ("libomp", "libiomp5")  # whose better one is the measure of programs built by Clang
KNOWN = ("chomp", "chomp-gcc", *PEERS, "libgomp", "tbb")


@dataclass(frozen=True)
class Library:
    """`compiler` says which build of our programs runs on it, "tbb" being their twins; an executable that was built
    elsewhere is tried on all."""

    name: str
    library: Path
    compiler: str
    environment: dict = field(default_factory=dict)
    subject: bool = False  # is under test: a failure on it is a failure of the run; the others are there for comparison


def clang_of(preset):
    return cache_value(preset, "CMAKE_C_COMPILER") or "clang"


def known_file(name, preset):
    """The file of a library that goes by a known name, or None where there is none."""
    if name in ("chomp", "chomp-gcc"):
        file = ROOT / "build" / preset / "lib" / "libomp.so"
        return file if file.exists() else None
    clang = clang_of(preset)
    if name == "libomp":
        return peers.compiler_file(clang, "libomp.so")
    if name == "tbb":
        return peers.compiler_file(clang, "libtbb.so.12")
    if name == "libgomp":
        return peers.compiler_file("gcc", "libgomp.so")
    # Debian has a link of this name to libomp.
    found = peers.find_libiomp5(BENCH_BUILD) or peers.compiler_file(clang, "libiomp5.so")
    return None if found == known_file("libomp", preset) else found


def fetch_libiomp5():
    peers.fetch_libiomp5(BENCH_BUILD)


def parse(words, preset):
    """Libraries from `NAME`, a known one, `NAME=FILE` or `NAME=FILE,VARIABLE=VALUE…`. The first is the one under test."""
    found = []
    for word in words:
        name, _, rest = word.partition("=")
        file, *settings = rest.split(",")
        environment = dict(setting.partition("=")[::2] for setting in settings)
        path = Path(file) if file else known_file(name, preset) if name in KNOWN else None
        if path is None:
            die(f"--runtime {word}: " + (f"there is no {name} here" if name in KNOWN else f"wants NAME=FILE, or one of {', '.join(KNOWN)}"))
        if path.is_dir():
            path = path / "libomp.so"
        if not path.is_file():
            die(f"--runtime {word}: {path} is no file")
        if name in (library.name for library in found):
            die(f"--runtime {word}: two libraries of one name")
        path = path.resolve()
        gcc = path.name.startswith("libgomp") or name.endswith("-gcc")
        under_test = not found or (name == "chomp-gcc" and found[0].name == "chomp")
        compiler = "tbb" if name == "tbb" else "gcc" if gcc else "clang"
        found.append(Library(name, path, compiler, environment, under_test))
    return found


def default(preset, quick):
    """chomp, and beside it what the machine has; in a hurry no more than libomp."""
    present = [name for name in ("chomp", "libomp", *(() if quick else ("libiomp5", "libgomp", "tbb"))) if known_file(name, preset)]
    return parse(present, preset)


def takes_scheduler(library, program, name):
    """Whether the library says that it uses the scheduler of the setting: an unknown name gets a warning and the
    default."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
    environment |= {"LD_PRELOAD": preloadable(library), "CHOMP_SCHEDULER": name, "OMP_DISPLAY_ENV": "verbose", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([program, "-n", "1"], env=environment, capture_output=True, text=True, check=False, timeout=60)
    return f"CHOMP_SCHEDULER='{name}'" in done.stdout + done.stderr


def with_schedulers(libraries, names, program):
    """The first library once for each scheduler, then the others. The default comes first: it is what targets are about."""
    chomp, *others = libraries
    for name in names:
        if not takes_scheduler(chomp.library, program, name):
            die(f"--schedulers: {chomp.library.name} has no scheduler {name}; schedulers/list.def names {', '.join(scheduler_list.names())}")
    each = [Library(f"{chomp.name}/{name}", chomp.library, chomp.compiler, {**chomp.environment, "CHOMP_SCHEDULER": name}, True)
            for name in names]
    return [*each, *others]

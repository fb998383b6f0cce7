"""The compilers that there are, and one compilation."""

import shutil
import subprocess
import tempfile
from collections import namedtuple
from pathlib import Path

# Where to look; the C++ compiler beside the C compiler.
KNOWN = [("clang", "clang-19", "clang++-19"), ("clang", "clang-22", "clang++-22"), ("clang", "clang", "clang++"), ("gcc", "gcc", "g++")]
FORTRAN = [("gfortran", "gfortran", ""), ("flang", "flang-new-19", ""), ("flang", "flang-19", ""), ("flang", "flang-new", ""), ("flang", "flang", "")]
LEVELS = ("-O0", "-O2")
COMPILE_LIMIT_S = 300

Compiler = namedtuple("Compiler", "family c cxx")
Config = namedtuple("Config", "compiler level")  # one way to compile


def find(names=None, fortran=False):
    """The compilers named, or all: Clang 19 and GCC, and Clang 22 if it is there; or gfortran and one Flang."""
    found = []
    for family, c, cxx in FORTRAN if fortran else KNOWN:
        if names and c not in names or not all(map(shutil.which, filter(None, (c, cxx)))):
            continue
        if (c == "clang" or fortran) and any(each.family == family for each in found) and not names:
            continue
        found.append(Compiler(family, c, cxx))
    return found


def title(config):
    return f"{config.compiler.c} {config.level}"


def words(compiler):
    """A compiler may be several words."""
    return compiler if isinstance(compiler, list) else [compiler]


def compile_source(config, source, program, language, extra=()):
    """None if it went well, else what the compiler said."""
    command = {
        "c": [*words(config.compiler.c), "-w", "-std=gnu11"],
        "c++": [*words(config.compiler.cxx), "-w", "-std=c++17"],
        "fortran": [*words(config.compiler.c), *(["-w", "-ffree-line-length-none"] if config.compiler.family == "gfortran" else [])],
    }[language]
    command += ["-fopenmp", config.level, *extra, Path(source).resolve(), "-o", Path(program).resolve(), "-pthread", "-latomic", "-lm"]
    try:
        # Fortran's modules are files in the current folder: all compilations at the same time would write the same ones.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=COMPILE_LIMIT_S, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"no end after {COMPILE_LIMIT_S} s"
    return None if done.returncode == 0 else done.stdout or f"status {done.returncode}"

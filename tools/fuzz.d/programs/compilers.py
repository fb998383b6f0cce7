"""The compilers that there are, and one compilation."""

import shutil
import subprocess
from collections import namedtuple

# Where to look; the C++ compiler beside the C compiler.
KNOWN = [("clang", "clang-19", "clang++-19"), ("clang", "clang-22", "clang++-22"), ("clang", "clang", "clang++"), ("gcc", "gcc", "g++")]
LEVELS = ("-O0", "-O2")
COMPILE_LIMIT_S = 300

Compiler = namedtuple("Compiler", "family c cxx")
Config = namedtuple("Config", "compiler level")  # one way to compile


def find(names=None):
    """The compilers named, or all: Clang 19 and GCC, and Clang 22 if it is there."""
    found = []
    for family, c, cxx in KNOWN:
        if names and c not in names or not shutil.which(c) or not shutil.which(cxx):
            continue
        if c == "clang" and any(each.family == "clang" for each in found) and not names:
            continue
        found.append(Compiler(family, c, cxx))
    return found


def title(config):
    return f"{config.compiler.c} {config.level}"


def compile_source(config, source, program, language, extra=()):
    """None if it went well, else what the compiler said."""
    compiler = config.compiler.cxx if language == "c++" else config.compiler.c
    standard = "-std=c++17" if language == "c++" else "-std=gnu11"
    command = [compiler, "-fopenmp", "-w", standard, config.level, *extra, source, "-o", program, "-pthread", "-latomic", "-lm"]
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=COMPILE_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {COMPILE_LIMIT_S} s"
    return None if done.returncode == 0 else done.stdout or f"status {done.returncode}"

"""Makes an executable run on an OpenMP library, and proves that it does. Shared by quickstart, regress and the lit
format.

A program that quietly runs on another library than the one meant gives right answers and worthless times. So the loader itself is
asked: in its tracing mode, the one of `ldd -r`, it resolves every symbol of the executable and of the libraries it brings,
says to which file each was bound (LD_DEBUG=bindings), and does not start the program.
"""

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

SONAMES = ("libomp.so", "libomp.so.5", "libiomp5.so", "libgomp.so.1")
LOADER_LIMIT_SECONDS = 60

_CALL = r"(?:__kmpc|__kmp|kmpc|kmp|ompc|omp|GOMP)_\w+"
_BOUND = re.compile(rf"binding file (.+) \[0\] to (.+) \[0\]: normal symbol `({_CALL})'")
_MISSING = re.compile(rf"undefined symbol: ({_CALL})")
_LISTED = re.compile(r"^\s+(lib(?:omp|iomp5|gomp)[^\s/]*\.so\S*) =>", re.M)


class NotBound(Exception):
    """The executable would not run on the library, or not on it alone; the text says why."""


def _trace(executable, environment):
    """What the loader prints about the executable when it does not start it."""
    loader = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "yes", "LD_BIND_NOW": "1", "LD_DEBUG": "bindings"}
    try:
        done = subprocess.run([executable], env=environment | loader, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, errors="replace", check=False, timeout=LOADER_LIMIT_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise NotBound(f"{Path(executable).name}: the loader does not come to an end; is it linked statically?") from late
    return done.stdout


def prove(executable, library, environment):
    """How many OpenMP calls of the executable, and of its own libraries, bind to `library`: all. Raises NotBound else."""
    library = Path(library).resolve()
    text = _trace(executable, environment)
    missing = _MISSING.search(text)
    if missing:
        raise NotBound(f"{Path(executable).name}: no library has {missing.group(1)}")
    bound = {}
    for source, target, symbol in _BOUND.findall(text):
        # Calls of an OpenMP library that bind to itself say nothing; nor do those of one that is merely loaded and bind
        # to the one before it.
        if not Path(source).name.startswith(("libomp", "libiomp5", "libgomp")):
            bound[source, symbol] = Path(target).resolve()
    if not bound:
        raise NotBound(f"{Path(executable).name} binds no OpenMP call at all")
    for (source, symbol), target in bound.items():
        if target != library:
            raise NotBound(f"{Path(source).name}: {symbol} binds to {target}, not to {library}")
    return len(bound)


def link_names(library, folder, names=SONAMES):
    """A folder in which the library has all the names that a program may ask for. Tests that run at once may make it at once."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        link = folder / name
        if not link.is_symlink() or os.readlink(link) != str(library):
            fresh = folder / f".{name}.{os.getpid()}"
            fresh.symlink_to(library)
            fresh.replace(link)
    return folder


def preloadable(library):
    """A path of the library for LD_PRELOAD, in which a name ends at a space or a colon: a link elsewhere if its own has one."""
    library = str(library)
    if " " not in library and ":" not in library:
        return library
    if library not in _links:
        folder = tempfile.mkdtemp(prefix="chomp-preload-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _links[library] = os.path.join(folder, os.path.basename(library))
        os.symlink(library, _links[library])
    return _links[library]


_links = {}  # made by preloadable(), for as long as this process lives


def place(executable, library, folder, environment):
    """The variables that put the executable on the library: LD_LIBRARY_PATH with a folder where the library has the name that
    the executable asks for, so that it is the only one in the process; where that does not help (the executable has a path of
    its own, or the file goes by another name), LD_PRELOAD. Raises NotBound if neither does."""
    library = Path(library).resolve()
    asked_for = _LISTED.findall(_trace(executable, environment))
    folder = link_names(library, Path(folder), {*SONAMES, *asked_for})
    own = environment.get("LD_LIBRARY_PATH")
    search = {"LD_LIBRARY_PATH": f"{folder}:{own}" if own else str(folder)}
    try:
        prove(executable, library, environment | search)
        return search
    except NotBound as first:
        preload = {"LD_PRELOAD": preloadable(library)}
        try:
            prove(executable, library, environment | preload)
            return preload
        except NotBound:
            raise first from None

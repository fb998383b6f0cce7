"""chomp, an OpenMP runtime in place of libgomp, libomp and libiomp5.

    chomp run python script.py      a shell: the program on chomp
    python -m chomp run script.py   the same
    import chomp; chomp.enable()    first line of a script: starts it again, on chomp
    chomp.path()                    the folder of the library, for LD_LIBRARY_PATH

Modules from wheels bring an OpenMP library of their own, with a name that has a hash in it, so LD_LIBRARY_PATH does not
reach them; a preload does, whatever the name. A process that has started cannot be given a preload, which is why enable()
starts it again.
"""

import os
import sys
from pathlib import Path

__all__ = ["active", "command", "enable", "library", "path"]

_HERE = Path(__file__).resolve().parent
_RESTARTED = "_CHOMP_ENABLE"  # the number of the process that enable() has started again
_NAMES = ("libomp.so.5", "libiomp5.so", "libgomp.so.1")


def library():
    """The library, for LD_PRELOAD."""
    return str(_HERE / "lib" / "libomp.so")


def command():
    """The command chomp."""
    return str(_HERE / "bin" / "chomp")


def path():
    """A folder in which the library has the names that programs ask for. A wheel holds no links, so they are made here, or
    in the user's cache where the installation cannot be written. Links, not copies: the loader takes two files for two
    runtimes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chomp"
    for folder in (_HERE / "lib", cache / str(_HERE).strip("/").replace("/", "-")):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("libomp.so", *_NAMES) if folder != _HERE / "lib" else _NAMES:
                link = folder / name
                if not link.exists():
                    fresh = folder / f".{name}.{os.getpid()}"
                    fresh.symlink_to(library())
                    fresh.replace(link)
            return str(folder)
        except OSError:
            continue
    raise OSError(f"neither {_HERE / 'lib'} nor {cache} can be written")


def active():
    """Whether this process has the library."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return any(line.rstrip().endswith(library()) for line in maps)
    except OSError:
        return False


def _cannot(why):
    """Says why, and what to do. False."""
    print(f"chomp.enable(): {why}", file=sys.stderr)
    return False


def enable():
    """Puts the process on chomp: starts it again with the library in LD_PRELOAD, from its first line, with the same
    arguments. True if it already is there; else this does not return, or says why it cannot and returns False."""
    if active():
        return True
    preload = os.environ.get("LD_PRELOAD", "")
    if " " in library() or ":" in library():
        return _cannot(f"LD_PRELOAD ends a name at a blank or a colon, and the library is {library()}. Install chomp elsewhere")
    if os.environ.get(_RESTARTED) == str(os.getpid()) or library() in preload.replace(" ", ":").split(":"):
        return _cannot("the loader has left the library out, which LD_PRELOAD names; `chomp doctor` says more")
    if "ipykernel" in sys.modules:
        return _cannot("a notebook's process cannot be started again from inside. Start Jupyter by `chomp run jupyter lab`, or "
                       f'put this into the kernel\'s kernel.json: "env": {{"LD_PRELOAD": "{library()}"}}')
    arguments = list(getattr(sys, "orig_argv", [sys.executable, *sys.argv]))
    if hasattr(sys, "ps1") or sys.flags.interactive or len(arguments) < 2 or not sys.argv[0] or sys.argv[0] == "-":
        return _cannot("an interactive interpreter, or one that reads its program from a pipe, cannot be started again. "
                       "Start it by `chomp run python`")
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ[_RESTARTED] = str(os.getpid())  # a loader that ignores LD_PRELOAD may also take it away
    os.environ["LD_PRELOAD"] = library() + (":" + preload if preload else "")
    os.execv(sys.executable, arguments)
    return False

"""What quickstart and check share: where things are, building one preset, talking to people."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import progress

ROOT = Path(__file__).resolve().parents[2]


def say(text=""):
    print(text, flush=True)
    progress.heard()


class Stopwatch:
    """Seconds since this object was made."""

    def __init__(self):
        self._start = time.monotonic()

    def seconds(self):
        return time.monotonic() - self._start


def allowed_cpus():
    return len(os.sched_getaffinity(0))


def clean_environment(keep=()):
    """The environment without the settings of OpenMP runtimes, which would change what is measured or tested."""
    prefixes = ("OMP_", "KMP_", "GOMP_", "CHOMP_", "LD_", "HWLOC_")
    return {k: v for k, v in os.environ.items() if k in keep or not k.startswith(prefixes)}


def build(preset, targets=(), configure_options=(), seconds=0):
    """Configures and builds a preset into build/<preset>; output goes to the terminal. True if it worked, in time if there
    is a limit."""
    folder = ROOT / "build" / preset
    configure = ["cmake", "--preset", preset, *configure_options]
    make = ["cmake", "--build", str(folder), *(["--target", *targets] if targets else [])]
    for command in (configure, make):
        # Configuring prints much that nobody reads, so its output is shown only when it fails.
        progress.doing(f"{'configuring' if command is configure else 'building'} {preset}")
        limited = ["timeout", "--foreground", str(seconds), *command] if seconds else command
        said = ""
        if command is configure:
            done = subprocess.run(limited, cwd=ROOT, stdin=subprocess.DEVNULL, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            status, said = done.returncode, done.stdout
        else:
            status = progress.run(limited, cwd=ROOT)
        progress.doing(None)
        if status != 0:
            late = f", after {seconds} seconds" if seconds and status == 124 else ""
            say(f"{said}failed{late}: {' '.join(command)}")
            return False
    return True


def source_files(root=ROOT):
    """The files that git has, or would add; without git, as in an archive of the sources, all but what was built. From the root."""
    listed = None
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=False)
    if listed is not None and listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        built = re.compile(r"(build[^/]*|\.venv|\.cache|\.git)(/|$)|.*(__pycache__/|\.(pyc|o)$)")
        names = []
        for folder, folders, files in os.walk(root):  # never into what was built: other programs may be at work there
            here = Path(folder).relative_to(root)
            folders[:] = [name for name in folders if not built.match(f"{here / name}/")]
            names += [name for name in (str(here / file) for file in files) if not built.match(name)]
    return [name for name in names if name and (root / name).is_file()]


def has_module(python, module):
    if not python.exists():
        return False
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def cache_value(preset, name):
    """A variable of build/<preset>/CMakeCache.txt or of the compiler files CMake writes; None if it is not there."""
    folder = ROOT / "build" / preset
    for file in [folder / "CMakeCache.txt", *folder.glob("CMakeFiles/*/CMake*Compiler.cmake")]:
        if not file.exists():
            continue
        text = file.read_text(errors="replace")
        found = re.search(rf'^(?:{name}:\w+=|set\({name} ")([^"\n]*)', text, re.M)
        if found:
            return found.group(1)
    return None


def die(text, status=1):
    print(text, file=sys.stderr, flush=True)
    sys.exit(status)

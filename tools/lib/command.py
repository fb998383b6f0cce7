"""Runs one command of tools/ as all of them are run (start.sh): command.py NAME SCRIPT ARGUMENT ...

While it runs, there is a line at least every ten seconds (progress.py). Whatever ends it, Ctrl-C too, leaves nothing behind: it
makes its temporary files in a folder of its own, TMPDIR of all that it starts, and by that variable it finds what still runs.
"""

import os
import runpy
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import progress

INTERRUPTED = 128 + signal.SIGINT
PATIENCE = 5  # seconds that a process has to end by itself


def started_by(folder):
    """The processes that have that folder in their environment."""
    found, word = [], os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        try:
            if word in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended, or is somebody else's
            pass
    return found


def end(pids, sent):
    for pid in pids:
        try:
            os.kill(pid, sent)
        except OSError:
            pass


def leave_nothing(folder):
    end(started_by(folder), signal.SIGTERM)
    late = time.monotonic() + PATIENCE
    while (left := started_by(folder)) and time.monotonic() < late:
        time.sleep(0.05)
    while left:
        end(left, signal.SIGKILL)
        time.sleep(0.05)
        left = started_by(folder)
    shutil.rmtree(folder, ignore_errors=True)


def stop(number, _frame):
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def main():
    name, script, pid = sys.argv[1], Path(sys.argv[2]).resolve(), os.getpid()
    folder = tempfile.mkdtemp(prefix="chomp-")
    os.chmod(folder, 0o711)  # another user's process may have files of its own there
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    progress.begin(name)
    sys.argv = [str(script), *sys.argv[3:]]
    sys.path[0] = str(script.parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        if os.getpid() == pid:  # and no child that it has forked
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            progress.end()
            leave_nothing(folder)


if __name__ == "__main__":
    main()

"""Runs one program: its output, how it ended, how long it took and the most memory it had.

The kernel hands the peak size of a process on to what it executes next, so a program started by Python would seem to have at least
Python's memory. A shell of a megabyte or two makes the process and ends; this one then inherits it (as a "child subreaper") and
waits for it, which gives the program's own peak. The process waits for a line before it becomes the program, lest the shell, still there,
wait for a program that is quicker than itself.
"""

import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

_PR_SET_CHILD_SUBREAPER = 36
_START = 'output=$1; shift; exec 3<&0; { read -r go <&3 && exec env "$@" 3<&-; } >"$output" 2>&1 </dev/null & echo $!'
_OUTPUT_BYTES = 64 << 20  # more of what a program says is not read


@dataclass(frozen=True)
class Ended:
    """`status` is the exit status, negative for a signal, None for a program that was stopped at its time limit."""

    status: int | None
    seconds: float
    peak_kib: int
    output: str
    cpu_seconds: float = 0.0


def _start(command, variables, environment, output):
    """A process that waits for a line, to become the command: its id, its process group, and where it reads the line."""
    settings = [f"{name}={value}" for name, value in variables.items()]
    with subprocess.Popen(["/bin/sh", "-c", _START, "sh", output, *settings, *command], env=environment, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0) as shell:
        process = int(shell.stdout.read())
        go = os.dup(shell.stdin.fileno())
    return process, shell.pid, go


def _ended_within(process, seconds):
    descriptor = os.pidfd_open(process)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(1000 * seconds))
    finally:
        os.close(descriptor)


def _stop_group(group):
    """Ends what the program started and left behind, and waits for it: it would disturb the next one."""
    try:
        os.killpg(group, signal.SIGKILL)
        while True:
            os.waitpid(-group, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def run(command, variables, environment, limit_seconds):
    """`variables` are set for the program only, not for the shell that starts it: an LD_PRELOAD concerns nothing
    else."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.NamedTemporaryFile() as output:
        process, group, go = _start([str(word) for word in command], variables, environment, output.name)
        begin = time.monotonic()
        in_time = False
        try:
            os.write(go, b"go\n")
            in_time = _ended_within(process, limit_seconds)
        finally:
            seconds = time.monotonic() - begin
            os.close(go)
            if not in_time:
                os.kill(process, signal.SIGKILL)  # it may have left its group
            _, status, usage = os.wait4(process, 0)
            _stop_group(group)
        text = output.read(_OUTPUT_BYTES).decode(errors="replace")
    return Ended(os.waitstatus_to_exitcode(status) if in_time else None, seconds, usage.ru_maxrss, text,
                 usage.ru_utime + usage.ru_stime)

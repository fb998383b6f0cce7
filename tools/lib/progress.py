"""Signs of life: a command that is silent for ten seconds says when it is, what it does and how far it is, on standard error.

What it does is what the command said last by doing(); if it said nothing, the program that it waits for. A command that another one
of ours has started is silent: the outer one speaks.
"""

import itertools
import os
import re
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SILENCE = 10  # seconds
OUTER = "TOOLS_OUTER_COMMAND"
NINJA = re.compile(r"\[(\d+)/(\d+)\] ")
LIT = re.compile(r"\((\d+) of (\d+)\)$")


class _State:
    name = ""
    what = None  # a text
    far = None  # a text, or a function that makes one
    since = heard = began = time.monotonic()


def begin(name):
    """From now on there is a line at least every ten seconds."""
    _State.name = name
    if OUTER in os.environ:
        return
    os.environ[OUTER] = name
    signal.signal(signal.SIGALRM, _look)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)


def end():
    signal.setitimer(signal.ITIMER_REAL, 0)


def doing(what, far=None):
    """What goes on, and how far it is; both None: nothing in particular."""
    _State.what, _State.far, _State.since = what, far, time.monotonic()


def far(text):
    """How far that is, in words: "3 of 12"."""
    _State.far = text


def heard():
    """Something was printed."""
    _State.heard = time.monotonic()


def _look(_number, _frame):
    now = time.monotonic()
    if now - max(_State.heard, _State.began) < SILENCE:
        return
    _State.heard = now
    what = _State.what or _what_it_waits_for()
    how_far = _State.far() if callable(_State.far) else _State.far
    took = f"{now - (_State.since if _State.what else _State.began):.0f} s"
    # Not print(): this may be in the middle of one.
    os.write(2, f"{time.strftime('%H:%M:%S')}  {': '.join(filter(None, (_State.name, what)))}, {', '.join(filter(None, (how_far, took)))}\n".encode())


def _what_it_waits_for():
    """The command line of the youngest process below this one that has no child."""
    pid, words = os.getpid(), ""
    while True:
        try:
            children = [child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
            if not children:
                return words
            pid = max(children, key=int)
            said = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            words = " ".join(said.split())[:80] or words
        except OSError:  # it has just ended
            return words


class Pool(ThreadPoolExecutor):
    """Its map() counts what is done."""

    def map(self, function, *iterables, **options):
        jobs, done = list(zip(*iterables)), itertools.count(1)

        def counted(job):
            try:
                return function(*job)
            finally:
                far(f"{next(done)} of {len(jobs)}")

        return super().map(counted, jobs, **options)


class Shown:
    """A command's lines, shown as they come; those in which ninja or lit say how far they are count. Of ninja's lines in a log
    one every few seconds is enough."""

    def __init__(self, out=None):
        self._out = out or sys.stdout
        self._rest, self._last, self._open = b"", 0, False

    def take(self, text):
        *lines, self._rest = (self._rest + text).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace"))

    def _line(self, line):
        step, test = NINJA.match(line), LIT.search(line)
        if step or test:
            far(f"{(step or test)[1]} of {(step or test)[2]}")
        terminal, now = self._out.isatty(), time.monotonic()
        if step and terminal:
            columns = os.get_terminal_size(self._out.fileno()).columns
            print(f"\r{line[:columns - 1]}\033[K", end="", file=self._out, flush=True)
            self._open = True
            heard()
            return
        if step and now - self._last < SILENCE / 3 and step[1] != step[2]:
            return
        if step:
            self._last = now
        if self._open:
            print(file=self._out)
            self._open = False
        print(line, file=self._out, flush=True)
        heard()

    def finish(self):
        if self._rest:
            self._line(self._rest.decode(errors="replace"))
        if self._open:
            print(file=self._out, flush=True)


def show(process):
    """Shows what a process with a pipe for its output prints, until it ends. Whoever has left it and keeps the pipe holds up nobody."""
    shown, pipe = Shown(), process.stdout.fileno()
    os.set_blocking(pipe, False)
    with process.stdout:
        over = False
        while not over:
            over = process_ended(process.pid)
            select.select([pipe], [], [], 0 if over else 0.2)
            try:
                while text := os.read(pipe, 1 << 16):
                    shown.take(text)
                if not over:
                    time.sleep(0.02)  # the pipe is closed, the process has yet to end
            except BlockingIOError:
                pass
    shown.finish()


def process_ended(pid):
    """Whether that child has; its status stays to be fetched."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def run(command, **options):
    """subprocess.run() of a command whose output is shown; its status."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options) as process:
        show(process)
        return process.wait()

"""Commands that may not take for ever, and commands that run beside others.

`timeout` runs each command in a process group of its own, and ends the whole group. A command in the background has a
low priority: it uses what tests leave, which wait and sleep half of their time.
"""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import progress  # noqa: E402
from common import ROOT, Stopwatch, clean_environment  # noqa: E402

TIMED_OUT_STATUS = 124
KILLED_STATUS = 137  # by `timeout`, ten seconds after it has asked
LOW_PRIORITY = 10  # a tenth of what a test gets, so that other users of the machine do not stop it altogether


class Clock:
    """How much of the time that there is has gone. `minutes` is None if there is enough."""

    def __init__(self, minutes):
        self._watch = Stopwatch()
        self._minutes = minutes

    def seconds(self):
        return self._watch.seconds()

    def left(self):
        """Seconds, or None."""
        return None if self._minutes is None else max(0, self._minutes * 60 - self.seconds())

    def over(self):
        return self.left() == 0


class Done:
    """What a command said, how it ended, how long it took, and how much of the CPUs, with all that it has waited for."""

    def __init__(self, status, output, seconds, cpu):
        self.status = status
        self.output = output
        self.seconds = seconds
        self.cpu = cpu


class Command:
    """A running command, at most `limit` seconds long (0: any time). What it prints is kept, or shown at once."""

    def __init__(self, words, limit, niceness=0, shown=False, keep=()):
        self._watch = Stopwatch()
        self._limit = limit
        prefix = ["timeout", "--kill-after=10", str(limit), *(["nice", "-n", str(niceness)] if niceness else [])]
        # A file, not a pipe: whoever has left the group and goes on holds up nobody who reads.
        self._output = None if shown else tempfile.TemporaryFile()
        self._process = subprocess.Popen([*prefix, *map(str, words)], cwd=ROOT, env=clean_environment(keep), stdin=subprocess.DEVNULL,
                                         stdout=self._output or subprocess.PIPE, stderr=subprocess.STDOUT)

    def wait(self):
        try:
            if not self._output:
                progress.show(self._process)
            _, status, used = os.wait4(self._process.pid, 0)
        except BaseException:
            self.stop()
            raise
        status = self._process.returncode = os.waitstatus_to_exitcode(status)
        output = ""
        if self._output:
            self._output.seek(0)
            output = self._output.read().decode(errors="replace")
            self._output.close()
        if status in (TIMED_OUT_STATUS, KILLED_STATUS) and 0 < self._limit <= self._watch.seconds():
            output += f"\nstopped: it took more than {self._limit} seconds"
        return Done(status, output, self._watch.seconds(), used.ru_utime + used.ru_stime)

    def stop(self):
        self._process.terminate()


def run(words, limit, shown=False, keep=()):
    return Command(words, limit, shown=shown, keep=keep).wait()


class Background:
    """Named commands, one after another, at a low priority. What they print is kept for who asks for the result."""

    def __init__(self, limit):
        self._limit = limit
        self._changed = threading.Condition()
        self._waiting = []  # (name, words), in order
        self._running = None  # (name, Command)
        self._done = {}  # name: Done
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self, commands):
        self._waiting = list(commands)
        self._thread.start()

    def _work(self):
        while True:
            with self._changed:
                if not self._waiting:
                    return
                name, words = self._waiting.pop(0)
                command = Command(words, self._limit, LOW_PRIORITY)
                self._running = (name, command)
            done = command.wait()
            with self._changed:
                self._running = None
                self._done[name] = done
                self._changed.notify_all()

    def result(self, name):
        """Waits for that command if it runs. None if it has not begun: then it never will, and is the caller's to run."""
        with self._changed:
            self._waiting = [one for one in self._waiting if one[0] != name]
            self._changed.wait_for(lambda: not self._running or self._running[0] != name)
            return self._done.get(name)

    def has(self, name):
        with self._changed:
            return name in self._done

    def stop(self):
        with self._changed:
            self._waiting = []
            if self._running:
                self._running[1].stop()

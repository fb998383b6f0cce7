"""One run of a compiled file of programs, and what became of it."""

import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "lib"))
from common import ROOT, clean_environment  # noqa: E402

LIMIT = ROOT / "test" / "support" / "limit"
LIMIT_STATUS = 124

# how: "" (right), "wrong", "crash", "hang". failed: the numbers of the programs. said: the end of what it printed.
Outcome = namedtuple("Outcome", "how failed said")


class Runner:
    """Runs programs on the library under test, or on the runtime that their compiler brings."""

    def __init__(self, library, preload=None, sanitizer=None):
        self.library, self.preload, self.sanitizer = library, preload, sanitizer

    def environment(self, settings, control):
        env = {**clean_environment(), **settings}
        if not control:
            env["LD_LIBRARY_PATH"] = str(self.library)
            if self.preload:
                env["LD_PRELOAD"] = str(self.preload)
            if self.sanitizer == "address":
                env["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0:exitcode=66"
            if self.sanitizer == "thread":
                env["TSAN_OPTIONS"] = "halt_on_error=1:exitcode=66:second_deadlock_stack=1:die_after_fork=0:atexit_sleep_ms=50"
        return env

    def run(self, program, settings, roots, numbers=(), control=False, seconds=60):
        # On a machine full of other work, threads that hand over to one another take long: that is no hang.
        seconds *= min(20, max(1, os.getloadavg()[0] / os.cpu_count() / 2))
        command = [sys.executable, "-IS", LIMIT, seconds, program, "-r", roots, *numbers]
        done = subprocess.run([str(word) for word in command], env=self.environment(settings, control), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return judge(done.returncode, done.stdout)


def judge(status, said):
    failed = [int(number) for number in re.findall(r"^failed (\d+)$", said, re.M)]
    started = re.findall(r"^begin (\d+)$", said, re.M)
    said = said[-20000:]
    if status == 0 and said.endswith("end\n") and not failed:
        return Outcome("", [], said)
    if status == 1 and failed and "\nend\n" in "\n" + said:
        return Outcome("wrong", failed, said)
    return Outcome("hang" if status == LIMIT_STATUS else "crash", [int(started[-1])] if started else [], said + f"\nstatus {status}\n")


def signs(how, said, number=None):
    """What tells one failure from another: how a program failed, and which checks, or with which status. A check is known by its text, since
    its line is another one in another file, while variables keep their names (globals begin with the program's). `number`: only this program
    of several."""
    if how != "wrong":
        return {(how, each) for each in re.findall(r"^status (-?\d+)$", said, re.M)[-1:]}
    own = re.search(rf"^begin {number}$.*?(?=^begin |\Z)", said, re.M | re.S) if number is not None else None
    checks = re.findall(r"^wrong: line \d+: (.*): got ", own.group() if own else said, re.M)
    return {(how, re.sub(r"\b(p\d+|program)_", "", check)) for check in checks}

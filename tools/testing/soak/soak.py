"""Runs one process that never ends (endless.c), under settings that change, for hours, and watches its memory, threads and files.

  tools/soak                an hour
  tools/soak --hours 3 --seed 7

What else has chance in it runs for hours beside it by commands of its own: tools/fuzz programs --seconds 10800 [--fortran],
CHOMP_STRESS=50 lit test/stress test/sched. At the end, or at SIGTERM or SIGINT, it says what it found; exit status 0: nothing. After
a run that no signal ends, tools/bench crowd has a twentieth of its time: how chomp waits beside busy processes is shown, not judged.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The fuzzer's `programs` first: tools/lib has a module of that name.
sys.path[:0] = [str(ROOT / "tools" / "testing" / "fuzz"), str(ROOT / "tools" / "lib")]
import screen  # noqa: E402
import progress  # noqa: E402
from common import clean_environment, say  # noqa: E402
from programs.settings import as_text, random_settings  # noqa: E402

WORK = ROOT / "build" / "soak"
ENDLESS_S = 1200       # one life of the endless process under one setting
SAMPLE_S = 2.0
STUCK_S = 120          # without a round
STARVED_S = 600        # the same, of a process that gets no CPU
SLACK_KIB = 8 * 1024   # memory may grow by so much, or
SLACK = 0.15           # by this share, after the warm-up
TAIL = 3000


# ---- Growth ----------------------------------------------------------------------------------------------------------

def sample(process):
    """(KiB of memory, threads, files) of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return (int(re.search(r"VmRSS:\s+(\d+)", status)[1]), int(re.search(r"Threads:\s+(\d+)", status)[1]), len(os.listdir(f"/proc/{process}/fd")))


def on_cpu(process):
    """Nanoseconds that the threads of a process have run, and that they have waited for a CPU though they could have run."""
    ran = waited = 0
    for thread in Path(f"/proc/{process}/task").iterdir():
        numbers = (thread / "schedstat").read_text().split()
        ran, waited = ran + int(numbers[0]), waited + int(numbers[1])
    return ran, waited


def is_starved(before, after, seconds):
    """Whether a process that has not got on for so long, between two calls of on_cpu(), lacked a CPU: some thread could have run most of
    the time, and hardly ran. Threads that sleep for ever, and look around now and then, wait little."""
    ran, waited = after[0] - before[0], after[1] - before[1]
    return waited > 10 * ran and waited > seconds * 1e9 / 2


def growth(samples):
    """What grows, in words, or nothing. The first third is the warm-up; then the least of the second third is compared with the least of
    the last: what only swings does not count."""
    if len(samples) < 12:
        return []
    third = len(samples) // 3
    problems = []
    for name, column, slack in (("memory, KiB", 0, SLACK_KIB), ("threads", 1, 0), ("files", 2, 0)):
        before = min(row[column] for row in samples[third:2 * third])
        after = min(row[column] for row in samples[2 * third:])
        if after > before + max(slack, before * SLACK if column == 0 else 0):
            problems.append(f"{name}: {before} -> {after}")
    return problems


# ---- The process that never ends -------------------------------------------------------------------------------------

class Endless(threading.Thread):
    """Keeps one such process running, each life under other settings, until stop()."""

    def __init__(self, options):
        super().__init__(daemon=True)
        self.options, self.stopping, self.lives, self.rounds, self.problems = options, threading.Event(), 0, 0, []
        self.last = None

    def run(self):
        rng = random.Random(self.options.seed)
        programs = [program for program in map(self.compile, (("clang-19", "clang"), ("gcc",))) if program]
        if not programs:
            self.problems.append("endless: no compiler")
        while programs and not self.stopping.is_set():
            settings, _ = random_settings(rng)
            for name in ("OMP_THREAD_LIMIT", "OMP_DYNAMIC"):
                settings.pop(name, None)  # the number of threads is not to swing
            settings["OMP_CANCELLATION"] = "true"
            self.life(rng.choice(programs), settings, rng.randrange(10**6))

    def compile(self, names):
        compiler = next(filter(None, map(shutil.which, names)), None)
        WORK.mkdir(parents=True, exist_ok=True)
        program = WORK / f"endless-{names[-1]}"
        command = [compiler, "-fopenmp", "-O2", "-g", Path(__file__).parent / "endless.c", "-o", program, "-pthread"]
        return program if compiler and subprocess.run([str(word) for word in command], check=False).returncode == 0 else None

    def life(self, program, settings, seed):
        env = {**clean_environment(), **settings, "LD_LIBRARY_PATH": str(self.options.build / "lib")}
        where = f"{program.name} 0 {seed}, {as_text(settings, 1)}"
        log = WORK / "endless.log"
        samples, rounds, progress, used = [], 0, time.monotonic(), (0, 0)
        end = time.monotonic() + ENDLESS_S
        with open(log, "w+", encoding="utf-8") as file, subprocess.Popen([program, "0", str(seed)], env=env, stdout=file, stderr=file,
                                                                         stdin=subprocess.DEVNULL) as process:
            while process.poll() is None and not self.stopping.is_set() and time.monotonic() < end:
                self.stopping.wait(SAMPLE_S)
                try:
                    samples.append(sample(process.pid))
                    used_now = on_cpu(process.pid)
                except (OSError, TypeError):
                    break
                now = re.findall(r"^round (\d+)$", log.read_text(errors="replace"), re.M)
                if now and int(now[-1]) != rounds:
                    rounds, progress, used = int(now[-1]), time.monotonic(), used_now
                stuck = time.monotonic() - progress
                if stuck > (STARVED_S if is_starved(used, used_now, stuck) else STUCK_S):
                    self.problems.append(f"hang: {where}\n{self.stacks(process.pid)}")
                    process.kill()
                    return
            ended_by_itself = process.poll() is not None
            process.terminate()
            try:
                status = process.wait(STUCK_S)
            except subprocess.TimeoutExpired:
                self.problems.append(f"hang at its end: {where}\n{self.stacks(process.pid)}")
                process.kill()
                return
        said = log.read_text(errors="replace")
        self.lives += 1
        self.rounds += int((re.findall(r"^round (\d+)$", said, re.M) or ["0"])[-1])
        if ended_by_itself or status != 0:
            self.problems.append(f"status {status}: {where}\n{said[-TAIL:]}")
        elif growth(samples):
            self.problems.append(f"grows: {', '.join(growth(samples))}: {where}")
        if samples:
            self.last = samples[-1]

    def stacks(self, process):
        gdb = shutil.which("gdb")
        if not gdb:
            return "no gdb for the stacks"
        return subprocess.run([gdb, "-nx", "-batch", "-p", str(process), "-ex", "thread apply all bt 25"], capture_output=True, text=True,
                              errors="replace", check=False).stdout[-20000:]

    def stop(self):
        self.stopping.set()
        self.join()


# ---- The command ---------------------------------------------------------------------------------------------------------

def beside_a_crowd(options):
    """What went wrong; the table is printed. Peers that are not here are left out."""
    progress.doing("tools/bench crowd")
    words = ["--chomp", options.build / "lib", "--threads", "4", "--crowds", "8other,30each", "--policies", "default,active",
             "--minutes", 3 * options.hours]
    done = subprocess.run([ROOT / "tools" / "bench", "crowd", *map(str, words)], check=False)
    return [f"tools/bench crowd: status {done.returncode}"] if done.returncode else []


class Stop(Exception):
    """A signal came."""


def parse_arguments():
    parser = screen.parser("tools/soak", "", __doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="for so long (1)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="the build under test (build/release)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9), help="of all seeds (random)")
    screen.help_for(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    if not (options.build / "lib" / "libomp.so.5").exists():
        parser.error(f"no library in {options.build}/lib: build it first")
    return options


def stop(*_):
    raise Stop


def main():
    options, began = parse_arguments(), time.monotonic()
    say(f"soak: {options.hours:.2f} hours, seed {options.seed}")
    endless = Endless(options)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        endless.start()
        progress.doing("watching", lambda: f"{endless.rounds} rounds in {endless.lives} lives")
        time.sleep(options.hours * 3600)
        endless.stop()
        endless.problems += beside_a_crowd(options)
    except Stop:
        say("soak: stopped by a signal")
        endless.stop()
    for problem in endless.problems:
        say(f"FOUND:\n{problem}")
    memory = f"; at its end {endless.last[0]} KiB, {endless.last[1]} threads, {endless.last[2]} files" if endless.last else ""
    say(f"soak: {(time.monotonic() - began) / 3600:.2f} hours, seed {options.seed}: {endless.rounds} rounds in {endless.lives} lives{memory}")
    say(f"{len(endless.problems)} findings" + ("" if endless.problems else ": nothing went wrong, nothing grew"))
    return 1 if endless.problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs everything that has chance in it, for hours: random programs (tools/fuzz programs), the stress suites and the
schedulers' contract with random seeds, and beside them one process that never ends (endless.c), whose memory, threads and
files are watched.

  tools/soak                an hour
  tools/soak --hours 3
  tools/soak --minutes 10 --parts endless,programs

Every part prints its seeds. At the end, or at SIGTERM or SIGINT, it says what ran and what it found; exit status 0: nothing.
"""

import collections
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
from common import allowed_cpus, cache_value, clean_environment, has_module, say  # noqa: E402
from programs.settings import as_text, random_settings  # noqa: E402

WORK = ROOT / "build" / "soak"
PARTS = ("endless", "programs", "stress")
TURN_S = 180           # a turn of the program fuzzer
ENDLESS_S = 1200       # one life of the endless process under one setting
SAMPLE_S = 2.0
STUCK_S = 120          # without a round
STARVED_S = 600        # the same, of a process that gets no CPU
SLACK_KIB = 8 * 1024   # memory may grow by so much, or
SLACK = 0.15           # by this share, after the warm-up
TAIL = 3000


class Finding(Exception):
    """Something went wrong in a part."""


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


# ---- Turns -----------------------------------------------------------------------------------------------------------

def programs_of_constructs(said):
    """How many programs had each construct, from the table that tools/fuzz programs prints."""
    table = said.partition(f"{'construct':<22} {'programs':>9} {'failures':>9}\n")[2]
    return {row[1]: int(row[2]) for row in re.finditer(r"^(\w[\w ]*?) +(\d+) +\d+$", table, re.M)}


class Soak:
    """The turns, one after the other, and what they found."""

    def __init__(self, options):
        self.options, self.rng = options, random.Random(options.seed)
        self.programs = self.program_runs = self.program_turns = self.turns = self.tests = 0
        self.constructs = collections.Counter()
        self.problems, self.current = [], None

    def execute(self, command, env=None):
        """Its status and what it printed; at a signal of ours it is ended too."""
        with subprocess.Popen([str(word) for word in command], cwd=ROOT, env=env or clean_environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as running:
            self.current = running
            said = running.communicate()[0]
            self.current = None
        return running.returncode, said

    def run_programs(self, seconds):
        seed = self.rng.randrange(10**8, 10**9) // 20 * 20
        fortran = ["--fortran"] if self.program_turns % 4 == 3 and shutil.which("gfortran") else []
        self.program_turns += 1
        status, said = self.execute([ROOT / "tools" / "fuzz", "programs", *fortran, "--seed", seed, "--seconds", int(seconds),
                                     "--library", self.options.build / "lib"])
        counts = re.search(r"^(\d+) programs, (\d+) runs", said, re.M)
        if counts:
            self.programs += int(counts[1])
            self.program_runs += int(counts[2])
            self.constructs.update(programs_of_constructs(said))
        if status == 1:
            raise Finding(said[-TAIL:])

    def run_stress(self, _):
        python = ROOT / ".venv" / "bin" / "python"
        lit = [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else ["lit"]
        seed = self.rng.randrange(10**9)
        env = {**clean_environment(), "CHOMP_STRESS": "3", "CHOMP_SEED": str(seed)}
        status, said = self.execute([*lit, "-v", "-j", self.options.jobs, "--param", f"build={self.options.build}",
                                     "--param", f"clang={cache_value('release', 'CMAKE_C_COMPILER') or 'clang'}",
                                     ROOT / "test" / "stress", ROOT / "test" / "sched"], env)
        self.tests += sum(map(int, re.findall(r"Passed *: *(\d+)", said)))
        if status != 0:
            raise Finding(f"CHOMP_STRESS=3 CHOMP_SEED={seed}\n{said[-TAIL:]}")

    def turn(self, part, seconds):
        try:
            {"programs": self.run_programs, "stress": self.run_stress}[part](seconds)
        except Finding as finding:
            self.problems.append(f"{part}: {finding}")
            say(f"FOUND in {part}:\n{finding}")
        self.turns += 1

    def stop_current(self):
        if self.current:
            os.killpg(self.current.pid, signal.SIGTERM)


class Stop(Exception):
    """A signal came."""


def parse_arguments():
    parser = screen.parser("tools/soak", "", __doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="for so long (1)")
    parser.add_argument("--minutes", type=float, help="or so many minutes")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"by comma, of {', '.join(PARTS)}")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="the build under test (build/release)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9), help="of all seeds (random)")
    parser.add_argument("--jobs", type=int, default=max(1, allowed_cpus() - 1), help="tests at a time")
    screen.help_for(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.parts = options.parts.split(",")
    if not set(options.parts) <= set(PARTS):
        parser.error(f"parts are {', '.join(PARTS)}")
    if not (options.build / "lib" / "libomp.so.5").exists():
        parser.error(f"no library in {options.build}/lib: build it first")
    return options


def main():
    options = parse_arguments()
    seconds = options.minutes * 60 if options.minutes is not None else options.hours * 3600
    end, began = time.monotonic() + seconds, time.monotonic()
    say(f"soak: {seconds / 3600:.2f} hours of {', '.join(options.parts)}, seed {options.seed}")
    soak, endless = Soak(options), Endless(options)

    def on_signal(*_):
        soak.stop_current()
        raise Stop

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    try:
        if "endless" in options.parts:
            endless.start()
        turns = [part for part in options.parts if part != "endless"]
        while time.monotonic() < end:
            if not turns:
                time.sleep(min(5, max(0.0, end - time.monotonic())))
            for part in turns:
                left = end - time.monotonic()
                if left > 0:
                    soak.turn(part, min(TURN_S, left))
                    say(f"{(time.monotonic() - began) / 60:.0f} min: {soak.programs} programs, {soak.tests} stress tests, "
                        f"{len(soak.problems) + len(endless.problems)} findings")
    except Stop:
        say("soak: stopped by a signal")
    if endless.is_alive():
        endless.stop()
    return report(soak, endless, time.monotonic() - began)


def report(soak, endless, seconds):
    memory = f"; at its end {endless.last[0]} KiB, {endless.last[1]} threads, {endless.last[2]} files" if endless.last else ""
    say()
    say(f"soak: {seconds / 3600:.2f} hours, {soak.turns} turns, seed {soak.options.seed}")
    say(f"  programs: {soak.programs} programs, {soak.program_runs} runs" + ("; with each construct:" if soak.constructs else ""))
    for name, count in sorted(soak.constructs.items()):
        say(f"    {name:<22} {count:>9}")
    say(f"  stress:   {soak.tests} tests passed")
    say(f"  endless:  {endless.rounds} rounds in {endless.lives} lives{memory}")
    problems = soak.problems + endless.problems
    for problem in endless.problems:
        say(f"FOUND in endless:\n{problem}")
    say(f"{len(problems)} findings" + ("" if problems else ": nothing went wrong, nothing grew"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

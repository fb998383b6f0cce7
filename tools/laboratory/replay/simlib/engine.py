"""Running what is built: programs on chomp, recordings on the virtual machine."""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from common import ROOT, build, clean_environment, die
from virtual_build import BUILD as VIRTUAL, build_virtual, run_scaled

LIMIT_S = 600


class Build:
    """A build of chomp whose programs are recorded, and the virtual build, which replays."""

    def __init__(self, folder: pathlib.Path | None = None):
        self.folder = folder or ROOT / "build" / "release"
        self.engine = self.folder / "bin" / "chomp-simulate"
        self.calibrate = self.folder / "bin" / "chomp-calibrate"
        if folder is None and not (self.engine.exists() and self.calibrate.exists()) and not build("release"):
            die("replay: chomp could not be built")
        if not self.engine.exists():
            die(f"replay: {self.engine} does not exist; build the release preset, or name a build with --build")

    def command(self, words: str | list[str]) -> list[str]:
        """A program of this build by its name, or any other by its path."""
        words = shlex.split(words) if isinstance(words, str) else list(words)
        ours = self.folder / "bin" / words[0]
        return [str(ours) if "/" not in words[0] and ours.exists() else words[0], *words[1:]]

    def run(self, words, **settings) -> str:
        """Runs a program on chomp, with these settings and no others; its standard output."""
        environment = clean_environment() | {"LD_LIBRARY_PATH": str(self.folder / "lib")}
        environment |= {name: str(value) for name, value in settings.items()}
        command = self.command(words)
        try:
            done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=LIMIT_S, check=False)
        except FileNotFoundError:
            die(f"replay: {command[0]}: not found")
        except subprocess.TimeoutExpired:
            die(f"replay: {shlex.join(command)} took longer than {LIMIT_S} s")
        if done.returncode != 0:
            die(f"replay: {shlex.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def ask_engine(self, *words) -> str:
        done = subprocess.run([str(self.engine), *map(str, words)], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            die(done.stderr.rstrip())
        sys.stderr.write(done.stderr)
        return done.stdout

    def record(self, program, times: int, folder: str, threads: int = 1) -> list[str]:
        """Recordings of as many runs. More than one, because other processes interrupt."""
        files = []
        for number in range(times):
            file = os.path.join(folder, f"{number}.rec")
            self.run(program, OMP_NUM_THREADS=threads, CHOMP_RECORD=file)
            if not os.path.exists(file):
                die(f"replay: {program} made no recording: it uses no OpenMP, or another library than {self.folder}/lib")
            files.append(file)
        return files

    def simulate(self, sources: list[str], machines: list[str], names: list[str], costs: dict, overheads=(), jobs: int = 2) -> dict:
        """What the recordings hold, and a result for each machine and scheduler. `overheads`: lines of [kind of event,
        kind of the next, ns]."""
        if self.folder.resolve() != VIRTUAL:
            build_virtual("replay", "chomp-replay")
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
            words = []
            if overheads:
                path = os.path.join(folder, "overheads")
                pathlib.Path(path).write_text("".join(f"{a} {b} {ns}\n" for a, b, ns in overheads))
                words = ["--overheads", path]
            result = json.loads(self.ask_engine("describe", *words, *sources))
            work = [*words, *map(str, sources)]
            runs = [(machine, name) for machine in machines for name in names]
            result["results"] = list(pool.map(lambda run: replay(work, *run, costs, result["priority"]), runs))
        return result


def replay(words: list[str], machine: str, scheduler: str, costs: dict, priority: int) -> dict:
    """One run: what the replay and the machine say."""
    chips, cores = map(int, machine.split("x"))
    began = time.monotonic()
    said, report = run_scaled("replay", [VIRTUAL / "bin" / "chomp-replay", "--cores", cores, *words], machine, costs,
                              chips * cores, scheduler, {"OMP_MAX_TASK_PRIORITY": str(priority)} if priority else {})
    result = json.loads(said)
    transfers = report["transfers"]
    result |= {"scheduler": scheduler, "machine": machine, "domains": chips, "cores": chips * cores,
               "asleep_ns": report["asleep_ns"], "membarriers": report["membarriers"],
               "transfers": sum(each["count"] for each in transfers), "transfers_far": sum(each["far"] for each in transfers),
               "waited_ns": sum(each["waited_ns"] for each in transfers),
               "seconds_simulating": round(time.monotonic() - began, 3)}
    result["overhead_ns"] = max(0, result["time_ns"] * result["cores"] - result["computed_ns"] - result["idle_ns"])
    return result

"""Running what is built: the simulator's engine, and programs on chomp."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from common import ROOT, build, clean_environment, die

LIMIT_S = 600


class Build:
    """A build of chomp: its library, its programs, the engine."""

    def __init__(self, folder: pathlib.Path | None):
        self.folder = folder or ROOT / "build" / "release"
        self.engine = self.folder / "bin" / "chomp-simulate"
        self.calibrate = self.folder / "bin" / "chomp-calibrate"
        if folder is None and not (self.engine.exists() and self.calibrate.exists()) and not build("release"):
            die("simulate: chomp could not be built")
        if not self.engine.exists():
            die(f"simulate: {self.engine} does not exist; build the release preset, or name a build with --build")

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
            die(f"simulate: {command[0]}: not found")
        except subprocess.TimeoutExpired:
            die(f"simulate: {shlex.join(command)} took longer than {LIMIT_S} s")
        if done.returncode != 0:
            die(f"simulate: {shlex.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
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
                die(f"simulate: {program} made no recording: it uses no OpenMP, or another library than {self.folder}/lib")
            files.append(file)
        return files

    def simulate(self, sources: list[str], machines: list[str], schedulers: list[str], profile, seed: int = 1) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            words = ["run", sources[0], "--seed", seed]
            for each in sources[1:]:
                words += ["--also", each]
            for machine in machines:
                words += ["--machine", machine]
            for scheduler in schedulers:
                words += ["--scheduler", scheduler]
            for name, ns in profile.costs.items():
                words += ["--cost", f"{name}={ns}"]
            if profile.overheads:
                path = os.path.join(folder, "overheads")
                pathlib.Path(path).write_text("".join(f"{a} {b} {ns}\n" for a, b, ns in profile.overheads))
                words += ["--overheads", path]
            return json.loads(self.ask_engine(*words))

    def policies(self, *asked: str) -> list[str]:
        """Those asked for, else all that the engine can replay under. It ends with a message if one is not among them."""
        known = [line.split()[0] for line in self.ask_engine("policies", *asked).splitlines()]
        return known or list(asked)

    def default_costs(self) -> dict[str, float]:
        return {name: float(ns) for name, ns in (line.split() for line in self.ask_engine("costs").splitlines())}


def program_seconds(output: str) -> float:
    """What a program of bots/ or uts/ says that it took."""
    found = re.search(r"^Time Program\s*=\s*([0-9.]+)", output, re.M)
    if not found:
        die("simulate: the program did not say `Time Program = … seconds`")
    return float(found.group(1))

"""Task-Aware MPI 4 on chomp: built from the source in the folder that TAMPI_SOURCE names, its own tests for OpenMP, and
programs/task_aware_mpi.c. No other runtime of OpenMP has the functions that it calls, so answers are compared with what they have to
be. On failure the first run that went wrong is told, or all runs are counted."""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools" / "lib"))
import scheduler_list  # noqa: E402

OWN_TESTS = {"CollectiveNonBlk": (2, 4), "PrimitiveNonBlk": (2, 4), "MultiPrimitiveNonBlk": (4,)}  # numbers of ranks
KINDS = 16
LIMIT_SECONDS = 120


def build_library(source, folder, command):
    """The library in `folder`/installed, made once."""
    installed = folder / "installed"
    if not (installed / "lib" / "libtampi-c.so").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder, symlinks=True)
        if not (folder / "configure").exists():
            command(["./bootstrap"], cwd=folder)
        command(["./configure", "CC=mpicc", "CXX=mpicxx", f"--prefix={installed}"], cwd=folder)
        command(["make", f"-j{len(os.sched_getaffinity(0))}", "install"], cwd=folder)
    return installed


def build_programs(source, installed, ours, folder, clang, command):
    """{(name, compiler): program}"""
    tests = source / "tests"
    programs = {}
    for compiler in (clang, "gcc"):
        library = ["-Wl,--no-as-needed", f"-L{installed}/lib", "-ltampi-c", f"-Wl,-rpath,{installed}/lib"]
        common = ["-O2", "-fopenmp", "-pthread", f"-I{installed}/include"]
        cxx = {"gcc": "g++"}.get(compiler, compiler.replace("clang", "clang++"))
        for name in OWN_TESTS:
            program = folder / f"tampi-{name}-{compiler}"
            command(["mpicxx", *common, "-std=c++17", f"-I{tests}", tests / "omp" / f"{name}.cpp", "-o", program, *library],
                    env={**os.environ, "OMPI_CXX": cxx})
            programs[name, compiler] = program
        program = folder / f"tampi-kinds-{compiler}"
        command(["mpicc", *common, ours, "-o", program, *library], env={**os.environ, "OMPI_CC": compiler})
        programs["kinds", compiler] = program
    return programs


def runs(clang, tool):
    """(name, compiler, ranks, threads, settings) of each run."""
    for name, compiler in itertools.product([*OWN_TESTS, "kinds"], (clang, "gcc")):
        for ranks, threads in itertools.product(OWN_TESTS.get(name, (2, 4)), (1, 2, 3, 8)):
            yield name, compiler, ranks, threads, {}
    for scheduler in scheduler_list.names():
        yield "kinds", clang, 2, 2, {"CHOMP_SCHEDULER": scheduler}
        yield "PrimitiveNonBlk", "gcc", 2, 3, {"CHOMP_SCHEDULER": scheduler}
    settings = [{"CHOMP_NESTED": "light"}, {"CHOMP_STATS": "1"}, {"TAMPI_POLLING_MODE": "blocking"},
                {"TAMPI_POLLING_TASK_COMPLETION": "0"}, {"OMP_WAIT_POLICY": "passive"}, {"OMP_PLACES": "threads", "OMP_PROC_BIND": "true"}]
    settings += [{"OMP_TOOL_LIBRARIES": str(tool)}] if tool else []
    for each, compiler, threads in itertools.product(settings, (clang, "gcc"), (1, 2, 4)):
        yield "kinds", compiler, 2, threads, each


def problem_of(done, name, settings):
    """What is wrong with a run; None."""
    if done.returncode != 0:
        return f"exit status {done.returncode}"
    if name != "kinds":
        return None if "Success" in done.stdout or name == "CollectiveNonBlk" else "no success"  # which ends without a word
    if len(re.findall(r"^\w+ right$", done.stdout, re.M)) != KINDS:
        return "not all kinds are right"
    if "OMP_TOOL_LIBRARIES" in settings and done.stdout.count(", 0 faults") != 2:
        return "the tool found faults"
    return None


def run_all(library, source, folder, clang, command):
    """Returns (how many runs were right, what went wrong in the others)."""
    root = Path(__file__).resolve().parents[2]
    installed = build_library(source, folder / "tampi", command)
    programs = build_programs(source, installed, Path(__file__).parent / "programs" / "task_aware_mpi.c", folder, clang, command)
    tool = folder / "tampi-tool.so"
    built = subprocess.run([clang, "-O1", "-shared", "-fPIC", "-fopenmp", root / "test" / "ompt" / "support" / "checker.c", "-o", tool],
                           capture_output=True, check=False)
    launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    unset = ("OMP_", "KMP_", "GOMP_", "CHOMP_", "LD_", "TAMPI_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
    right, wrong = 0, []
    for name, compiler, ranks, threads, settings in runs(clang, tool if built.returncode == 0 else None):
        environment = {"OMP_NUM_THREADS": str(threads), "LD_PRELOAD": str(library), **settings}
        exported = itertools.chain.from_iterable(("-x", f"{each}={value}") for each, value in environment.items())
        run = [*launch, "-n", str(ranks), *exported, programs[name, compiler]]
        try:
            done = subprocess.run(run, env=clean, capture_output=True, text=True, errors="replace", check=False,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS)
            problem = problem_of(done, name, settings)
            said = (done.stdout + done.stderr)[-800:]
        except subprocess.TimeoutExpired:
            problem, said = f"no end within {LIMIT_SECONDS} s", ""
        if problem is None:
            right += 1
        else:
            wrong.append(f"{name} of {compiler}, {ranks} ranks, {threads} threads, {settings}: {problem}\n{said}")
    return right, wrong

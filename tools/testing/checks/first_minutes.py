#!/usr/bin/env python3
"""Runs the lines of tools/docs/install.md as a new user would: on a machine that has only Python, only apt, only a compiler.

Each part of the page has a block of four lines: install, run a program, see that it is chomp, go back. They are run as
they stand there, by one shell, where there is nothing but what the heading names: a fresh virtual environment, a fresh
system made by debootstrap, an empty home. After each line its effect is checked, and after the last one that the program
runs on its own library again.

usage: tools/testing/checks/first_minutes.py [--packages DIR] PART...    python, compiler, apt
  --packages DIR   the wheel, the Debian packages, the archives (build/packages)
  --root DIR       for apt: a system made by debootstrap; else one is made, as the machine's own apt is set up
  --show           print the transcript
Status 77: a part cannot be tried here (no debootstrap, not root).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "tools" / "docs" / "install.md"
EXAMPLE = ROOT / "README.md"  # has the program
HEADINGS = {"python": "Only Python", "apt": "Only apt", "compiler": "Only a C compiler"}
FILES = {"python": ["chomp_openmp-*.whl"], "apt": ["libchomp1_*.deb", "chomp-tools_*.deb"],
         "compiler": ["chomp-*-runtime.tar.xz", "chomp-*-tools.tar.xz"]}
ANSWER = "610"
# A module with an OpenMP library of its own under a name with a hash, as wheels bring.
SCRIPT = """import ctypes, os
module = ctypes.CDLL(os.path.abspath("module.so"))
print(module.fib_on_a_team(15))
"""


class Failed(Exception):
    pass


def lines_of(part):
    """The four lines of the page, without their comments."""
    text = PAGE.read_text()
    section = re.search(rf"^### {HEADINGS[part]}$(.*?)^##", text, re.M | re.S)
    block = section and re.search(r"((?:^    .*\n)+)", section.group(1), re.M)
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in block.group(1).splitlines()] if block else []
    if len(lines) != 4:
        raise Failed(f"{PAGE.name}: {HEADINGS[part]} has {len(lines)} lines, not four")
    return lines


def example():
    """The program of the first page, with a smaller number."""
    return re.search(r"```c\n(.*?)```", EXAMPLE.read_text(), re.S).group(1).replace("fib(30)", "fib(15)")


def compile_with(compiler, folder, *arguments):
    done = subprocess.run([compiler, "-O2", "-fopenmp", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{compiler} does not compile the program of the page:\n{done.stderr}")


def lay_out(part, folder, packages):
    """What the user has in his folder: the files of the packages and his program."""
    for pattern in FILES[part]:
        found = sorted(packages.glob(pattern))
        if part == "python":
            found = [wheel for wheel in found if wheel.stem.endswith(os.uname().machine) and "-manylinux_" in wheel.stem]
        if not found:
            raise Failed(f"no {pattern} in {packages}")
        shutil.copy(found[-1], folder)
    (folder / "fib.c").write_text(example())
    if part == "python":
        text = example().replace("int main(void) {", "int fib_on_a_team(int n) { long sum = 0;").replace(
            'printf("%ld\\n", fib(15));\n}', "sum = fib(n);\nreturn (int)sum; }")
        (folder / "module.c").write_text(text)
        runtime = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()
        shutil.copy(Path(runtime).resolve(), folder / "libgomp-a1b2c3d4.so.1.0.0")
        compile_with("gcc", folder, "-fPIC", "-c", "module.c")
        subprocess.run(["gcc", "-shared", "module.o", "./libgomp-a1b2c3d4.so.1.0.0", "-Wl,-rpath,$ORIGIN", "-o", "module.so"], cwd=folder,
                       check=True)
        (folder / "script.py").write_text(SCRIPT)
    else:
        compile_with("gcc", folder, "fib.c", "-o", "program")


def run_lines(part, shell, show):
    """Runs the lines by `shell`, a function from a command to its result."""
    own = "python script.py" if part == "python" else "./program"
    install, run, see, back = lines_of(part)
    said = {}
    for line in (install, run, see, back, own, f"OMP_DISPLAY_ENV=true {own}"):
        done = shell(line)
        said[line] = done.stdout + done.stderr
        if show:
            print(f"$ {line}\n{said[line]}", end="")
        if done.returncode != 0:
            raise Failed(f"{part}: `{line}` fails:\n{said[line]}")
    for line in (run, see, own):
        if ANSWER not in said[line].split():
            raise Failed(f"{part}: `{line}` does not print {ANSWER}:\n{said[line]}")
    if "runtime='chomp " not in said[see]:
        raise Failed(f"{part}: `{see}` does not say that it is chomp:\n{said[see]}")
    if "runtime='chomp" in said[f"OMP_DISPLAY_ENV=true {own}"]:
        raise Failed(f"{part}: after `{back}` the program still runs on chomp")
    if shell(run).returncode == 0:
        raise Failed(f"{part}: after `{back}`, `{run}` still works")


def clean_environment(**more):
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "OMP_NUM_THREADS": "2", **more}


def in_venv(scratch, packages, show):
    folder = scratch / "user"
    folder.mkdir()
    lay_out("python", folder, packages)
    subprocess.run([sys.executable, "-m", "venv", scratch / "venv"], check=True)
    environment = clean_environment(HOME=str(folder))
    environment["PATH"] = f"{scratch}/venv/bin:{environment['PATH']}"
    run_lines("python", lambda line: subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
                                                    check=False), show)


def in_home(scratch, packages, show):
    folder = scratch / "user"
    folder.mkdir()
    lay_out("compiler", folder, packages)
    environment = clean_environment(HOME=str(folder))
    run_lines("compiler", lambda line: subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
                                                      check=False), show)


def make_system(root):
    """A small Debian, from where the machine has its own packages, with what the user's program needs."""
    release = Path("/etc/os-release").read_text()
    name = re.search(r"^VERSION_CODENAME=(\w+)", release, re.M)
    sources = "".join(file.read_text() for file in [*Path("/etc/apt/sources.list.d").glob("*.sources"), Path("/etc/apt/sources.list")]
                      if file.exists())
    mirror = re.search(r"^(?:URIs: |deb )(\S+)", sources, re.M)
    if not name or not mirror:
        raise Failed("apt: it does not show where this machine has its packages from")
    done = subprocess.run(["debootstrap", "--variant=minbase", "--include=libgomp1", name.group(1), root, mirror.group(1)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed("apt: debootstrap fails: " + done.stdout[-500:])


def in_system(scratch, packages, show, root):
    if os.geteuid() != 0 or (root is None and shutil.which("debootstrap") is None):
        print("apt: not tried (it needs root and debootstrap)")
        return 77
    if root is None:
        root = scratch / "root"
        make_system(root)
    folder = root / "user"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lay_out("apt", folder, packages)
    # A person answers the question; and apt's own user must be able to read the packages.
    (root / "etc/apt/apt.conf.d/first-minutes").write_text('APT::Get::Assume-Yes "true";\nAPT::Sandbox::User "root";\n')

    def shell(line):
        inside = 'mount -t proc proc "$1/proc" && exec chroot "$1" bash -c "cd /user && $2"'
        return subprocess.run(["unshare", "--mount", "sh", "-c", inside, "sh", root, line],
                              env=clean_environment(HOME="/root", DEBIAN_FRONTEND="noninteractive"), capture_output=True, text=True, check=False)
    run_lines("apt", shell, show)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="+", choices=HEADINGS)
    parser.add_argument("--packages", type=Path, default=ROOT / "build" / "packages")
    parser.add_argument("--root", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    status = 0
    for part in options.parts:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                if part == "apt":
                    status = in_system(Path(scratch), options.packages.resolve(), options.show, options.root) or status
                else:
                    {"python": in_venv, "compiler": in_home}[part](Path(scratch), options.packages.resolve(), options.show)
            except Failed as failure:
                print(f"first_minutes: {failure}")
                return 1
        if status == 0:
            print(f"first_minutes: {part}: the four lines do what the page says")
    return status


if __name__ == "__main__":
    sys.exit(main())

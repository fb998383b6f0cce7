"""The libraries that are compared: finding them, fetching them, and a directory each from which the loader takes them."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass

from harness.machine import ROOT

PEERS = ("libomp", "libiomp5", "libgomp", "tbb")
BESIDE = ("chomp-gcc", *PEERS)  # what --peers takes
PACKAGES = {"libomp": "libomp-19-dev", "libgomp": "gcc", "tbb": "libtbb-dev"}  # by Debian's names


@dataclass(frozen=True)
class Runtime:
    """A library and the compiler whose programs run on it. `directory` goes into LD_LIBRARY_PATH."""

    name: str
    compiler: str  # "clang", "gcc" or "tbb": which build of the programs; "serial": clang's, without OpenMP
    library: pathlib.Path  # the real file that must be found in the process
    directory: pathlib.Path | None  # None: the system's own search path

    def environment(self) -> dict[str, str]:
        """The variables a program needs to run on this library and no other."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "KMP_", "GOMP_", "CHOMP_", "LD_PRELOAD"))}
        env.pop("LD_LIBRARY_PATH", None)
        if self.directory is not None:
            env["LD_LIBRARY_PATH"] = str(self.directory)
        return env


def compiler_file(compiler: str, name: str) -> pathlib.Path | None:
    """Where a compiler finds a library of its own, or None."""
    try:
        out = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    path = pathlib.Path(out.strip())
    return path.resolve() if path.is_absolute() and path.exists() else None


def link_directory(build: pathlib.Path, name: str, soname: str, library: pathlib.Path) -> pathlib.Path:
    """A directory with nothing but `soname`, a link to the library, or the library itself, which was put there."""
    directory = build / "runtimes" / name
    directory.mkdir(parents=True, exist_ok=True)
    link = directory / soname
    if link == library:
        return directory
    link.unlink(missing_ok=True)
    link.symlink_to(library)
    return directory


def fetched_libiomp5(build: pathlib.Path) -> pathlib.Path:
    """Where --fetch-peers puts Intel's library."""
    return build / "peers" / "lib" / "libiomp5.so"


def fetch_libiomp5(build: pathlib.Path) -> None:
    """Installs intel-openmp into a private virtual environment of the build directory."""
    if fetched_libiomp5(build).exists():
        return
    if os.environ.get("CHOMP_NO_INSTALL"):
        warn("no intel-openmp, and CHOMP_NO_INSTALL is set")
        return
    home = build / "peers"
    print(f"bench: installing intel-openmp from PyPI into {home}", file=sys.stderr)
    try:
        venv.create(home, with_pip=True)
        subprocess.run([str(home / "bin" / "pip"), "install", "--quiet", "--no-deps", "intel-openmp"], check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        warn(f"could not install intel-openmp: {failure}")


def install_packages(packages: list[str]) -> None:
    """Installs a package with apt, as root or through sudo, and says so first. If that fails the peer is left out."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if not packages:
        return
    if os.environ.get("CHOMP_NO_INSTALL") or shutil.which("apt-get") is None or (root and shutil.which("sudo") is None):
        warn(f"cannot install packages here; please install {' '.join(packages)}")
        return
    print(f"bench: installing with apt: {' '.join(packages)}", file=sys.stderr)
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
    subprocess.run([*apt, "update"], stdout=subprocess.DEVNULL, check=False)
    subprocess.run([*apt, "install", "-y", "--no-install-recommends", *packages], stdout=subprocess.DEVNULL, check=False)


def find_libiomp5(build: pathlib.Path) -> pathlib.Path | None:
    """Intel's library, if it was fetched, into this build folder or tools/bench's own."""
    places = [fetched_libiomp5(build), fetched_libiomp5(ROOT / "build" / "bench"), build / "runtimes" / "libiomp5" / "libomp.so.5"]
    found = [path for path in places if path.exists()]
    return found[0].resolve() if found else None


def with_soname(build: pathlib.Path, name: str, compiler: str, library: pathlib.Path | None) -> Runtime | None:
    """A runtime that takes the place of the OpenMP library its programs were linked with."""
    if library is None:
        return None
    soname = "libgomp.so.1" if compiler == "gcc" else "libomp.so.5"
    return Runtime(name, compiler, library.resolve(), link_directory(build, name, soname, library))


def library_of(build: pathlib.Path, name: str, compiler: str, file: str, soname: str) -> pathlib.Path | None:
    """The compiler's own library; where the compiler is missing, what an earlier run, or whoever copied its folder, left there."""
    left = (build / "runtimes" / name / soname).resolve()
    return compiler_file(compiler, file) or (left if shutil.which(compiler) is None and left.exists() else None)


def find_peer(name: str, build: pathlib.Path, chomp: pathlib.Path | None, clang: str, gcc: str) -> Runtime | None:
    """The runtime of that name, or None where the machine does not have it."""
    if name == "chomp-gcc":
        return with_soname(build, name, "gcc", chomp) if shutil.which(gcc) else None
    if name == "libomp":
        return with_soname(build, name, "clang", library_of(build, name, clang, "libomp.so", "libomp.so.5"))
    if name == "libiomp5":
        return with_soname(build, name, "clang", find_libiomp5(build))
    if name == "libgomp":
        return with_soname(build, name, "gcc", library_of(build, name, gcc, "libgomp.so", "libgomp.so.1"))
    library = compiler_file(clang, "libtbb.so")
    return Runtime(name, "tbb", library, None) if library is not None else None


def serial_code(clang: str) -> Runtime | None:
    """No runtime: the programs' serial versions, which load the compiler's own library and do not call it."""
    library = compiler_file(clang, "libomp.so")
    return Runtime("serial", "serial", library, None) if library is not None else None


def fetch_peers(names: list[str], build: pathlib.Path, clang: str, gcc: str) -> None:
    """Installs those peers that are not here and can be had."""
    if "libiomp5" in names:
        fetch_libiomp5(build)
    install_packages([PACKAGES[n] for n in names if n in PACKAGES and find_peer(n, build, None, clang, gcc) is None])


def warn(message: str) -> None:
    """One line on standard error."""
    print(f"bench: {message}", file=sys.stderr)

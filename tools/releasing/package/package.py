"""Makes packages of a Release build.

    tools/package wheel [--build DIR] [--output DIR]   a wheel for pip: the library, the command, the module chomp
    tools/package wheel --glibc 2.17 [--machine NAME]  the same for older systems, or for another machine, by zig's Clang
    tools/package wheel --musl [--machine NAME]        the same for systems with musl, Alpine say
    tools/package debian [--output DIR]                libchomp1, libchomp-dev and chomp-tools, for Debian and Ubuntu
    tools/package manual [--check]                     the lists of settings.md, from the table of settings

The version is that of the top CMakeLists.txt. A wheel's platform tag follows from the symbol versions of glibc that its
files ask for: the newest is the oldest glibc that can serve them.
"""

import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[2] / "lib"), str(Path(__file__).resolve().parent)]
import manual  # noqa: E402
from common import ROOT, build, die, say  # noqa: E402

HERE = ROOT / "tools" / "releasing" / "package"
DISTRIBUTION = "chomp_openmp"  # pip's name; the module is chomp
# What pip puts below its prefix: man finds pages in share/man beside a bin that is in PATH.
DATA = {"share/chomp/chomp-gdb.py": "gdb/chomp-gdb.py"}
PAGES = {"share/man/man1/chomp.1": manual.command_page, "share/man/man7/libchomp.7": manual.page, "share/man/man3/chomp.h.3": manual.header_page}
SUMMARY = "An OpenMP runtime in place of libgomp, libomp and libiomp5"


def version():
    found = re.search(r"^project\(chomp VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    return found.group(1)


def newest_glibc(files):
    """The newest version of glibc that any of the files asks for: (2, 34)."""
    versions = set()
    for file in files:
        text = subprocess.run(["readelf", "-V", "-W", file], capture_output=True, text=True, check=True).stdout
        versions |= {tuple(map(int, number.split("."))) for number in re.findall(r"\bGLIBC_(\d+\.\d+)", text)}
    return max(versions)


def machine(file):
    text = subprocess.run(["readelf", "-h", "-W", file], capture_output=True, text=True, check=True).stdout
    return "aarch64" if "AArch64" in text else "x86_64"


def stripped(file, folder):
    """A copy without debug information; LLVM's program takes files of any machine. As it is, where there is none."""
    copy = folder / file.name
    for program in ("llvm-strip", "llvm-strip-19", "strip"):
        shutil.copy(file.resolve(), copy)
        if shutil.which(program) and subprocess.run([program, "--strip-unneeded", copy], capture_output=True, check=False).returncode == 0:
            break
    return copy


def find_zig(given):
    """The zig of PyPI's package ziglang: the one that is given, or of the tree's environment, or of this Python's."""
    for python in (given, ROOT / ".venv" / "bin" / "python", sys.executable):
        if python is None or not Path(python).exists():
            continue
        if Path(python).name.startswith("zig"):
            return str(Path(python).resolve())
        found = subprocess.run([python, "-c", "import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"],
                               capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.strip()
    return shutil.which("zig") or die("no zig: pip install ziglang into .venv, or say where it is (--zig)")


def build_by_zig(options):
    """Builds the library and the commands for an older glibc, for musl, or for another machine; returns the folder."""
    target = f"{options.machine}-linux-{'musl' if options.musl else 'gnu.' + options.glibc}"
    folder = ROOT / "build" / f"wheel-{target}"
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_COMPILER_LAUNCHER")}
    environment = {name: str(ROOT / "build" / "zig-cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")} | environment
    zig = find_zig(options.zig)
    for command in (["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/tools/releasing/cmake/old_glibc.cmake",
                     f"-DCHOMP_ZIG={zig}", f"-DCHOMP_ZIG_TARGET={target}", "-DCHOMP_PROGRAMS=OFF", "-DCHOMP_TESTS=OFF", "-DCHOMP_STATIC=OFF",
                     "-DCHOMP_REPRODUCIBLE=ON"],
                    ["cmake", "--build", folder, "--target", "everything"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            die(f"the build for {target} fails:\n{(done.stdout + done.stderr)[-4000:]}")
    done = subprocess.run([ROOT / "tools" / "testing" / "checks" / "exports.py", folder / "lib" / "libomp.so", "--old-glibc"], check=False)
    if done.returncode != 0:
        die("the library does not export what it must")
    return folder


NOT_CHECKED = 77
_unchecked = []


def unchecked(why):
    """Notes that the program which has to agree is not here: said, and with --checked the exit status."""
    _unchecked.append(why)
    say(why)


def audit(path, tag):
    """Auditwheel has to give the wheel its tag. Where it is not installed that is said."""
    for program in (ROOT / ".venv" / "bin" / "auditwheel", Path(sys.executable).parent / "auditwheel", shutil.which("auditwheel")):
        if program is None or not Path(program).exists():
            continue
        done = subprocess.run([program, "show", path], capture_output=True, text=True, check=False)
        words = " ".join(done.stdout.split())
        if done.returncode != 0 or tag not in words:
            die(f"auditwheel does not agree:\n{done.stdout}{done.stderr}")
        return say(f"auditwheel agrees: {tag}")
    return unchecked("no auditwheel (PyPI): the tag follows from readelf alone")


class Wheel:
    """A zip file with a list of what is in it. The same content gives the same file."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, executable=False):
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, folder):
        self.record.append(f"{folder}/RECORD,,")
        entry = zipfile.ZipInfo(f"{folder}/RECORD", (2026, 1, 1, 0, 0, 0))
        entry.external_attr = 0o100644 << 16
        self.zip.writestr(entry, "\n".join(self.record) + "\n")
        self.zip.close()


def make_wheel(options):
    if options.glibc or options.musl:
        folder = build_by_zig(options)
    else:
        folder = Path(options.build) if options.build else ROOT / "build" / "release"
        if not options.build and not build("release", ["everything"]):
            die("the Release build fails")
    library = folder / "lib" / "libomp.so"
    commands = [folder / "bin" / name for name in ("chomp", "chomp-analyse")]
    explored = sorted((folder / "lib" / "chomp-explore").glob("*"))  # x86-64 with glibc
    texts = ("libtsan.so", "templates.h", "as")  # the first is a linker's script, the last one of a shell
    for file in (library, *commands):
        if not file.exists():
            die(f"{folder} has no {file.relative_to(folder)}")
    if options.musl:
        system, libc = "musllinux_1_2", "musl 1.2"
    else:
        major, minor = newest_glibc([library, *commands, *(file for file in explored if file.name not in texts)])
        system, libc = f"manylinux_{major}_{minor}", f"glibc {major}.{minor}"
    tag = f"py3-none-{system}_{machine(library)}"
    output = Path(options.output or ROOT / "build" / "packages")
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{DISTRIBUTION}-{version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        wheel = Wheel(path)
        for source in sorted((HERE / "wheel" / "chomp").glob("*.py")):
            wheel.add(f"chomp/{source.name}", source.read_bytes())
        wheel.add("chomp/lib/libomp.so", stripped(library, Path(scratch)).read_bytes(), executable=True)
        for command in commands:
            wheel.add(f"chomp/bin/{command.name}", stripped(command, Path(scratch)).read_bytes(), executable=True)
        for file in explored:
            content = file if file.name in texts else stripped(file, Path(scratch))
            wheel.add(f"chomp/lib/chomp-explore/{file.name}", content.read_bytes(), executable=True)
        wheel.add("chomp/include/chomp.h", (ROOT / "abi" / "chomp.h").read_bytes())
        wheel.add("chomp/include/chomp/alpi.h", (ROOT / "abi" / "alpi.h").read_bytes())
        for place, source in DATA.items():
            wheel.add(f"{DISTRIBUTION}-{version()}.data/data/{place}", (ROOT / "tools" / "shipped" / source).read_bytes())
        for place, page in PAGES.items():
            wheel.add(f"{DISTRIBUTION}-{version()}.data/data/{place}", page(ROOT, version()).encode())
    info = f"{DISTRIBUTION}-{version()}.dist-info"
    metadata = (f"Metadata-Version: 2.1\nName: {DISTRIBUTION.replace('_', '-')}\nVersion: {version()}\nSummary: {SUMMARY}\n"
                "Requires-Python: >=3.8\nClassifier: Operating System :: POSIX :: Linux\n"
                "Description-Content-Type: text/markdown\n\n" + (ROOT / "tools" / "docs" / "install.md").read_text())
    wheel.add(f"{info}/METADATA", metadata.encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: chomp tools/package\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\nchomp = chomp.__main__:main\n")
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(info)
    if not options.musl:  # there it takes libc.so for glibc's script; tools/testing/checks/musl.sh looks at what is needed
        audit(path, tag.removeprefix("py3-none-"))
    say(f"{path}: {libc} or later")


def make_debian(options):
    import debian_packages  # pylint: disable=import-outside-toplevel
    if not debian_packages.make(version(), Path(options.output or ROOT / "build" / "packages"), options.maintainer):
        unchecked("no lintian: the packages are not checked (Debian's package lintian)")


def make_manual(options):
    page, text = ROOT / "tools" / "docs" / "settings.md", manual.settings_page(ROOT)
    if not options.check:
        page.write_text(text)
    elif page.read_text() != text:
        die("tools/docs/settings.md is not current: run tools/package manual")
    say(f"tools/docs/settings.md {'is current' if options.check else 'written'}")


def main():
    parser = argparse.ArgumentParser(prog="tools/package", description="Make packages of a Release build. `tools/package release`: all artefacts of a release.")
    commands = parser.add_subparsers(dest="command", required=True)
    wheel = commands.add_parser("wheel", help="a wheel for pip")
    wheel.add_argument("--build", metavar="DIR", help="a build folder; else build/release, which is built first")
    wheel.add_argument("--output", metavar="DIR", help="where the package goes (build/packages)")
    wheel.add_argument("--glibc", metavar="VERSION", help="build for systems from this glibc on, 2.17 say, with PyPI's ziglang")
    wheel.add_argument("--musl", action="store_true", help="build for systems with musl 1.2, with PyPI's ziglang")
    wheel.add_argument("--machine", choices=("x86_64", "aarch64"), default="x86_64", help="with --glibc or --musl: for that machine (x86_64)")
    wheel.add_argument("--zig", metavar="PROGRAM", help="zig, or a Python that has ziglang; else .venv's")
    debian = commands.add_parser("debian", help="libchomp1, libchomp-dev and chomp-tools")
    debian.add_argument("--output", metavar="DIR", help="where the packages go (build/packages)")
    debian.add_argument("--maintainer", metavar="NAME", default="chomp developers <maintainers@chomp.example>",
                        help="name and mail, for the packages' control files")
    manual_page = commands.add_parser("manual", help="the lists of settings.md, from the table of settings")
    manual_page.add_argument("--check", action="store_true", help="only say whether it is current")
    for command in (wheel, debian):
        command.add_argument("--checked", action="store_true", help="exit status 77 where auditwheel or lintian, which have to agree, are missing")
    options = parser.parse_args()
    {"wheel": make_wheel, "debian": make_debian, "manual": make_manual}[options.command](options)
    if _unchecked and getattr(options, "checked", False):
        say("; ".join(_unchecked))
        return NOT_CHECKED
    return 0


if __name__ == "__main__":
    sys.exit(main())

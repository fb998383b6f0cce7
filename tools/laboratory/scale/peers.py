"""Other runtimes on the virtual machine, for tools/scale --runtimes: their real code, from the distribution's source packages,
built into the build folder with the calls that the machine answers (peers/processor.h). No line of theirs is changed."""

import functools
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from common import ROOT, die, say
from package_source import Unavailable, download, last_line, run
from virtual_build import BUILD

GLUE = Path(__file__).resolve().parent / "peers"
CACHE = ROOT / ".cache" / "peers"
# Each access to memory, volatile ones apart, and each basic block calls the machine.
CLANG = ["-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile", "-fsanitize-coverage=bb,no-prune,trace-pc", "-fno-omit-frame-pointer",
         "-include", str(GLUE / "processor.h")]
OPTIMISED = ["-O2", "-gdwarf-4", "-DNDEBUG"]


@dataclass(frozen=True)
class Runtime:
    """What a program runs on. `kind` is the compiler whose code it is: "clang", "gcc", or "tbb" for oneTBB's twins."""
    name: str
    kind: str = "clang"
    folder: Path = BUILD / "lib"  # its library, and the machine's
    flags: tuple = ()             # of programs
    settings: dict = field(default_factory=dict, hash=False)


def sources(name, package, size, wanted, inner=None):
    """The folder with the wanted files of a source package, fetched if the cache has none. They may be in an archive within it."""
    kept = CACHE / name
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            archive = download(package, size, Path(work))
            folder = Path(work) / "extracted"
            folder.mkdir()
            if inner:
                run(["tar", "-xf", archive, "-C", work, "--strip-components=1", "--wildcards", inner], work)
                archive = next(Path(work).glob(Path(inner).name), archive)
            done = run(["tar", "-xf", archive, "-C", folder, "--strip-components=1", "--wildcards", *wanted], work)
            if done.returncode != 0:
                raise Unavailable(f"{archive.name} does not hold {wanted[0]}: {last_line(done.stdout)}")
            folder.rename(kept)  # by one rename: an interrupted run leaves no half of it
    return kept


def must(command, folder=ROOT):
    done = run(command, folder)
    if done.returncode != 0:
        die(f"scale: {Path(str(command[0])).name} failed, which builds another runtime:\n{done.stdout[-3000:]}", 2)


def clang(cxx=False):
    name = "clang++" if cxx else "clang"
    return shutil.which(f"{name}-19") or shutil.which(name) or die("scale: no clang", 2)


def current(library):
    """Whether it is there, and newer than what is put in front of its sources."""
    return library.exists() and all(file.stat().st_mtime < library.stat().st_mtime for file in GLUE.rglob("*.h"))


def installed(name, library, *links):
    """The folder that programs run with: the library under all of its names, and the machine."""
    folder = BUILD / "peers" / name / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    for link, target in (*((link, library) for link in links), ("libchomp-virtual.so", BUILD / "lib" / "libchomp-virtual.so")):
        (folder / link).unlink(missing_ok=True)
        (folder / link).symlink_to(target)
    return folder


def libomp():
    tree = sources("libomp", "llvm-toolchain-19", "165 MB", ["*/openmp/*", "llvm-toolchain-*/cmake/*"]) / "openmp"
    where = BUILD / "peers" / "libomp" / "build"
    library = where / "runtime" / "src" / "libomp.so"
    if not current(library):
        say("building LLVM's libomp for the virtual machine")
        options = {"CMAKE_BUILD_TYPE": "Release", "OPENMP_STANDALONE_BUILD": "ON", "OPENMP_ENABLE_LIBOMPTARGET": "OFF", "LIBOMP_OMPD_SUPPORT": "OFF",
                   "LIBOMP_USE_HWLOC": "OFF", "LIBOMP_FORTRAN_MODULES": "OFF", "LIBOMP_INSTALL_ALIASES": "OFF", "CMAKE_C_COMPILER": clang(),
                   "CMAKE_CXX_COMPILER": clang(cxx=True), "CMAKE_ASM_COMPILER": clang(), "CMAKE_C_FLAGS_RELEASE": " ".join(OPTIMISED),
                   "CMAKE_CXX_FLAGS_RELEASE": " ".join(OPTIMISED), "LIBOMP_CXXFLAGS": " ".join(CLANG),
                   "LIBOMP_LIBFLAGS": f"-L{BUILD / 'lib'} -lchomp-virtual"}
        must(["cmake", "-G", "Ninja", "-S", tree, "-B", where, *(f"-D{name}={value}" for name, value in options.items())])
        must(["cmake", "--build", where, "-j2", "--target", "libomp.so"])
    # Else it would ask the processor which CPU it is on.
    return Runtime("libomp", folder=installed("libomp", library, "libomp.so", "libomp.so.5"), settings={"KMP_AFFINITY": "disabled"})


def tbb():
    tree = sources("tbb", "onetbb", "2 MB", ["*/include/*", "*/src/tbb/*"])
    where = BUILD / "peers" / "tbb"
    library = where / "libtbb.so.12"
    # -fgnuc-version: it fences by assembly for older compilers than GCC 11, and takes Clang for one.
    flags = [*OPTIMISED, "-std=c++17", "-fPIC", "-fgnuc-version=11.0.0", *CLANG, "-w", f"-I{tree / 'include'}"]
    if not current(library):
        say("building oneTBB for the virtual machine")
        where.mkdir(parents=True, exist_ok=True)
        for source in sorted((tree / "src" / "tbb").glob("*.cpp")):
            must([clang(cxx=True), *flags, "-D__TBB_BUILD", "-D__TBB_USE_ITT_NOTIFY=0", f"-I{tree / 'src'}", "-mrtm", "-mwaitpkg", "-c", source,
                  "-o", where / f"{source.stem}.o"])
        names = tree / "src" / "tbb" / "def" / "lin64-tbb.def"
        must([clang(cxx=True), "-shared", "-fuse-ld=lld", *where.glob("*.o"), "-Wl,-soname,libtbb.so.12", f"-Wl,--version-script={names}",
              f"-L{BUILD / 'lib'}", "-lchomp-virtual", "-ldl", "-lpthread", "-o", library])
    return Runtime("tbb", "tbb", installed("tbb", library, "libtbb.so.12", "libtbb.so"),
                   ("-fgnuc-version=11.0.0", "-include", str(GLUE / "processor.h"), f"-I{tree / 'include'}"))


# Compiles with the calls, and links with the machine; but configure's own programs as usual.
GCC = """#!/bin/sh
[ -n "$INSTRUMENT" ] || exec gcc "$@"
case " $* " in
*" -c "*) exec gcc -I{glue} "$@" -fsanitize=thread --param=tsan-distinguish-volatile=1 -fsanitize-coverage=trace-pc -fno-omit-frame-pointer ;;
*) exec gcc "$@" -L{libraries} -lchomp-virtual ;;
esac
"""


def libgomp():
    """Nobody of us reads its sources, which are GPL's (CONTRIBUTING.md): they are configured and built as they are."""
    if not shutil.which("gcc"):
        raise Unavailable("no gcc here")
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    tree = sources("libgomp", f"gcc-{version}", "90 MB", [f"*/{each}" for each in ("libgomp/*", "config/*", "include/*", "config.*", "config-ml.in", "move-if-change", "install-sh", "missing",
                   "mkinstalldirs", "depcomp", "compile", "lt*", "*.m4", "gcc/BASE-VER", "gcc/DATESTAMP")], f"*/gcc-{version}.*.tar.*")
    where = BUILD / "peers" / "libgomp" / "build"
    library = where / ".libs" / "libgomp.so.1"
    if not current(library):
        say("building GCC's libgomp for the virtual machine")
        where.mkdir(parents=True, exist_ok=True)
        compiler = where / "gcc"
        compiler.write_text(GCC.format(glue=GLUE / "libgomp", libraries=BUILD / "lib"))
        compiler.chmod(0o755)
        must([tree / "libgomp" / "configure", "--disable-multilib", "--disable-werror", f"CC={compiler}", "FC=no", "CFLAGS=-g -O2"], where)
        must(["env", "INSTRUMENT=1", "make", "-j2", "libgomp.la"], where)
    return Runtime("libgomp", "gcc", installed("libgomp", library, "libgomp.so.1", "libgomp.so"))


BUILDERS = {"chomp": lambda: Runtime("chomp"), "chomp-gcc": lambda: Runtime("chomp-gcc", "gcc"), "libomp": libomp, "libgomp": libgomp, "tbb": tbb}
CHOMP = Runtime("chomp")


@functools.cache
def runtime(name):
    """Builds it if it is not there."""
    try:
        return BUILDERS[name]()
    except Unavailable as why:
        die(f"scale: {name} cannot be had: {why}", 77)

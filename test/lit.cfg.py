# How lit runs chomp's tests. Parameters (--param name=value):
#   build      the build directory: lib/ holds the library and its links, bin/ the benchmark programs   (required)
#   sanitizer  none | address | thread: how that library was built                                      (none)
#   checks     1 if it was built with debug checks                                                      (0)
#   clang      the C compiler                                                                           (clang-19, clang)
#   limit      seconds one run of a program may take                                                    (100)
#   inlined    1: programs of Clang's are compiled as by `chomp cc --inline`; 2: by its pass, too       (0)
#   cpu        1: each test says what it took of the CPUs                                               (0)
#   unchanged  skip: tests of tools that have not changed since they passed are left out                (run)
#   recipes    the tree of tools/check recipes, whose library it is: %root is that
#   spin       the Spin model checker, for test/model                                                   (if in PATH)
# What the substitutions mean is in README.md.
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
sys.path += [os.path.join(here, "support"), os.path.join(root, "tools", "lib")]

import lit  # noqa: E402
import lit_formats  # noqa: E402
import scheduler_list  # noqa: E402

config.name = "chomp"
config.suffixes = [".c", ".cpp", ".F90", ".test", ".pml", ".each_scheduler"]
config.excludes = ["support", "explore", "programs", "clients", "fuzz", "contract.c", "limit.c", "settings.c", "report.c", "task_trees", "planted", "fuzz_programs_broken.c"]
if "recipes" not in lit_config.params:  # they test what is not there: tools/check recipes
    config.excludes.append("recipes")
schedulers = scheduler_list.names()
config.test_format = lit_formats.ShTestEachScheduler(schedulers)
config.test_source_root = here


def parameter(name, default):
    return lit_config.params.get(name) or default


def first_in_path(*names):
    return next((path for path in map(shutil.which, names) if path), None)


if not lit_config.params.get("build"):
    lit_config.fatal("--param build=<build directory> is required")
build = os.path.abspath(lit_config.params["build"])
library_dir = os.path.join(build, "lib")
library = os.path.join(library_dir, "libomp.so")
if not os.path.exists(library):
    lit_config.fatal("no library to test: %s does not exist" % library)
# Without this link a program linked with the system's libomp would quietly run on the system's libomp.
if not os.path.exists(os.path.join(library_dir, "libomp.so.5")):
    lit_config.fatal("%s has no link libomp.so.5" % library_dir)
config.test_exec_root = os.path.join(build, "test-output")

sanitizer = parameter("sanitizer", "none")
if sanitizer not in ("none", "address", "thread"):
    lit_config.fatal("sanitizer must be none, address or thread, not %s" % sanitizer)
clang = parameter("clang", first_in_path("clang-19", "clang"))
if not clang or not shutil.which(clang):
    lit_config.fatal("no clang: give --param clang=<path>")
clang = shutil.which(clang)
folder, name = os.path.split(clang)
clangxx = os.path.join(folder, re.sub("clang", "clang++", name, count=1))

# Features.
if sanitizer != "none":
    config.available_features.add("sanitizer-" + sanitizer)
if parameter("checks", "0") == "1":
    config.available_features.add("checks")
spin = parameter("spin", first_in_path("spin"))
if spin and shutil.which(spin):
    config.available_features.add("spin")
for tool in ("gdb", "gcc", "gfortran", "readelf", "nm", "valgrind", "chromium"):
    if shutil.which(tool):
        config.available_features.add(tool)
# omp-tools.h comes with libomp's development files, in the compiler's own folder.
if subprocess.run([clang, "-fsyntax-only", "-x", "c", "-"], input="#include <omp-tools.h>\n", text=True,
                  capture_output=True, check=False).returncode == 0:
    config.available_features.add("omp-tools")
archer_folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(clang))), "lib")
if os.path.exists(os.path.join(archer_folder, "libarcher.so")):
    config.available_features.add("archer")
# Offloading to the host itself, by LLVM's own library. Programs for it are linked with a tool of clang-tools.
offload_target = platform.machine() + "-pc-linux-gnu"
if (os.path.exists(os.path.join(archer_folder, "libomptarget.so")) and sanitizer == "none"
        and os.path.exists(os.path.join(os.path.dirname(os.path.realpath(clang)), "clang-linker-wrapper"))):
    config.available_features.add("offload")
if shutil.which("clang-22"):  # a compiler newer than the one the tree is built with, for what only it emits
    config.available_features.add("clang22")
# Flang has had several names.
flang = first_in_path("flang-19", "flang-new-19", "flang", "flang-new")
if flang:
    config.available_features.add("flang")
# GCC's sanitizers do not go together with those that the library was built with.
if shutil.which("gcc") and sanitizer == "none":
    config.available_features.add("gomp")
    if shutil.which("g++"):
        config.available_features.add("gomp-cxx")
# A GCC of 13 or later, whose programs ask for more of libgomp.
newer_gcc = first_in_path("gcc-16", "gcc-15", "gcc-14", "gcc-13", "gcc")
newer = newer_gcc and subprocess.getoutput(newer_gcc + " -dumpversion").split(".")[0]
if newer and newer.isdigit() and int(newer) >= 13 and sanitizer == "none":
    config.available_features.add("newer-gcc")
else:
    lit_config.note("no GCC 13 or later: its own kinds of programs are not tested")
for program in ("uts", "bots-fib", "epcc-tasks"):
    if os.path.exists(os.path.join(build, "bin", program)):
        config.available_features.add(program.split("-")[0])

if os.path.exists(os.path.join(build, "bin", "chomp-analyse")):
    config.available_features.add("analyse")
# Only in the virtual build, where tools/check runs what needs it.
if os.path.exists(os.path.join(build, "lib", "libchomp-virtual.so")):
    config.available_features.add("virtual")

# The public schema of what `chomp trace` writes.
if importlib.util.find_spec("perfetto") and os.path.exists(os.path.join(build, "bin", "chomp-analyse")):
    config.available_features.add("perfetto")
else:
    lit_config.note("no perfetto (PyPI): the timelines of `chomp trace` are not read back")

# Wheels for older systems.
if importlib.util.find_spec("ziglang"):
    config.available_features.add("ziglang")

# Made-up machines (HWLOC_SYNTHETIC): the library was built with hwloc's headers, and finds hwloc when it runs.
with open(os.path.join(build, "CMakeCache.txt"), errors="replace") as cache:
    has_headers = re.search(r"^CHOMP_HWLOC_INCLUDE:\w+=/", cache.read(), re.M)
if has_headers and subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libhwloc.so.15')"], check=False,
                                  stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("hwloc")
else:
    lit_config.note("no hwloc (libhwloc-dev): made-up machines are not tested")

if subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libmemkind.so.0')"], check=False,
                  stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("memkind")

# Several ranks on one machine, more than it has CPUs, each with the mask that lit has. Open MPI's options; others need
# none.
mpirun = first_in_path("mpirun", "mpiexec")
if not mpirun:
    lit_config.note("no mpirun: what MPI programs do is not tested")
elif sanitizer == "none":
    config.available_features.add("mpirun")
    if os.path.exists(os.path.join(build, "bin", "uts-mpi")):
        config.available_features.add("uts-mpi")
    said = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" in said or "OpenRTE" in said:
        # A system may have the compiler's driver without the headers. MPI programs are compiled as all others are, with
        # what the driver adds.
        looks_for_headers = ["mpicc", "-E", "-include", "mpi.h", "-xc", os.devnull]
        if shutil.which("mpicc") and subprocess.run(looks_for_headers, check=False, capture_output=True).returncode == 0:
            config.available_features.add("mpicc")
            flags = [subprocess.run(["mpicc", "--showme:" + what], capture_output=True, text=True, check=False).stdout.strip()
                     for what in ("compile", "link")]
            config.substitutions.append(("%mpi-flags", " ".join(flags)))
        # Open MPI 5 ends where there is no HOME.
        mpirun = "env HOME=%s OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 %s --oversubscribe --bind-to none" % (
            os.path.expanduser("~"), mpirun)

if os.getuid() == 0:
    config.available_features.add("root")
# A container that has no /sys.
without_sys = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys && exec "$0" "$@"']
if shutil.which("unshare") and subprocess.run([*without_sys, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("mounts")
config.substitutions.append(("%without-sys", shlex.join(without_sys)))

config.available_features.add(platform.machine())
# Longer tests, on request.
if os.environ.get("CHOMP_STRESS", "1") not in ("", "0", "1"):
    config.available_features.add("long")
# PTRACE_TRACEME: containers may refuse it.
if subprocess.run([sys.executable, "-c", "import ctypes; exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)"],
                  check=False).returncode == 0:
    config.available_features.add("ptrace")

# A library linked as releases are, on a kernel that knows MADV_POPULATE_WRITE: what a start costs has limits.
cache = os.path.join(build, "CMakeCache.txt")
built = open(cache).read() if os.path.exists(cache) else ""
if re.search("^CMAKE_BUILD_TYPE:.*=Release$", built, re.M) and re.search("^CHOMP_LTO:BOOL=ON$", built, re.M) and re.search(
        "^CHOMP_LLD:.*ld", built, re.M) and [int(n) for n in re.findall(r"\d+", platform.release())[:2]] >= [5, 14]:
    config.available_features.add("release-start")

if os.path.exists(os.path.join(library_dir, "libomp.a")):
    config.available_features.add("static-library")

# How a test program is compiled. It is linked as a user would link it, against the system's libomp when the library is
# an ordinary one: the drop-in is then found at run time. An instrumented library needs the sanitizer's run time, which
# the program brings, so the program is linked with it directly.
compile_flags = "-fopenmp -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-unknown-pragmas -Wno-sign-compare -I%s -pthread" % here
if sanitizer != "none":
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined" if sanitizer == "address" else "-fsanitize=thread"
    compile_flags += " %s -fno-omit-frame-pointer -DCHOMP_SANITIZED=1" % flags
    compile_flags += " -L%s -Wl,-rpath,%s" % (library_dir, library_dir)

inlined = os.path.join(library_dir, "chomp-inline.bc")
inlined_flags = "-Xclang=-mlink-bitcode-file -Xclang=%s" % inlined
if os.path.exists(inlined):
    config.available_features.add("inlined")
clang_major = re.search(r"version (\d+)", subprocess.getoutput(clang + " --version"))
inlined_pass = os.path.join(library_dir, "chomp-inline-clang%s.so" % (clang_major.group(1) if clang_major else ""))
inlined_by_pass = inlined_flags
if os.path.exists(inlined_pass):
    config.available_features.add("inlined-pass")
    inlined_by_pass += " -fpass-plugin=" + inlined_pass
flang_inlined = ""
if parameter("inlined", "0") == "2" and os.path.exists(inlined_pass):
    flang_inlined = " -Xflang -mlink-builtin-bitcode -Xflang %s -fpass-plugin=%s" % (inlined, inlined_pass)
clang_flags = compile_flags + {"1": " " + inlined_flags, "2": " " + inlined_by_pass}.get(parameter("inlined", "0"), "")

# What has not changed since is not compiled again, not even by the tests of another build: support/compile.
cached = ""
if shutil.which("ccache"):
    cached = os.path.join(here, "support", "compile") + " "
    config.environment["CCACHE_DIR"] = subprocess.getoutput("ccache --get-config cache_dir")
    config.environment["CCACHE_NOHASHDIR"] = config.environment["CCACHE_DEPEND"] = "1"  # sources are named by whole paths

# How a test program is run. A sanitizer's report must fail the test; leaks are not looked for (worker records and slabs
# are never unmapped, and a process may end while workers are parked).
environment = {"LD_LIBRARY_PATH": library_dir}
if sanitizer == "address":
    environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=0:exitcode=66"
    environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
if sanitizer == "thread":
    environment["TSAN_OPTIONS"] = "halt_on_error=1:exitcode=66:second_deadlock_stack=1:die_after_fork=0:atexit_sleep_ms=50"
# Each run has a time limit of our own: lit's needs psutil and is set differently from version to version.
limit = parameter("limit", "100")
run = "env " + " ".join("%s=%s" % item for item in environment.items())
limited = "%s -IS %s %s" % (sys.executable, os.path.join(here, "support", "limit"), limit)
limited_run = "%s %s" % (limited, run)
config.environment["TOOLS_OUTER_COMMAND"] = "lit"  # commands of tools/ are silent
config.environment["PYTHON"] = sys.executable  # for scripts that run programs under support/limit

# ThreadSanitizer sees nothing where there is one thread, and programs take ten times as long.
numbers_of_threads = " -t '2 8 33'" if sanitizer == "thread" else ""

# The longer names come first: lit replaces in this order and does not look at word ends.
config.substitutions += [
    ("%gxx-openmp", cached + "g++ %s -std=c++17" % compile_flags),
    ("%newer-gcc", cached + "%s %s -std=gnu11" % (newer_gcc, compile_flags)),
    ("%gcc-openmp", cached + "gcc %s -std=gnu11" % compile_flags),
    ("%clangxx-openmp", cached + "%s %s -std=c++17" % (clangxx, clang_flags)),
    ("%clang-openmp", cached + "%s %s -std=gnu11" % (clang, clang_flags)),
    ("%inlined-pass", inlined_by_pass),
    ("%inlined", inlined_flags),
    ("%flang-openmp", "%s -fopenmp -O1%s" % (flang, flang_inlined)),
    ("%flang", flang or "flang"),
    ("%omp-tools", "-idirafter %s/include" % subprocess.getoutput(clang + " -print-resource-dir")),
    ("%gfortran-openmp", "gfortran -fopenmp -O2 -Wall"),
    ("%cached-clangxx", cached + clangxx),
    # That also knows this lit, which may be a folder that no Python looks into by itself.
    ("%lit-python", "env PYTHONPATH=%s %s" % (os.path.dirname(os.path.dirname(os.path.abspath(lit.__file__))), sys.executable)),
    ("%python", sys.executable),
    ("%clangxx", clangxx),
    ("%clang", clang),
    ("%for-threads", "%s %s -l %s%s" % (run, os.path.join(here, "for_threads"), limit, numbers_of_threads)),
    ("%for-schedulers", "%s %s -l %s '%s'" % (run, os.path.join(here, "for_schedulers"), limit, " ".join(schedulers))),
    ("%chomp-run", limited_run),
    ("%chomp-preload", "%s env LD_PRELOAD=%s" % (limited, library)),
    ("%chomp-mpirun", "%s %s" % (limited_run, mpirun)),
    ("%offload-openmp", "%s -std=gnu11 %s -fopenmp-targets=%s" % (clang, compile_flags, offload_target)),
    ("%offload", "LD_LIBRARY_PATH=%s:%s" % (library_dir, archer_folder)),
    ("%archer-folder", archer_folder),
    ("%archer", "LD_LIBRARY_PATH=%s:%s" % (library_dir, archer_folder)),
    ("%library-path", run),
    ("%schedulers", " ".join(schedulers)),
    ("%root", parameter("recipes", root)),
    ("%build", build),
    ("%library", library),
    ("%lib", library_dir),
    ("%spin", spin or "spin"),
]

# FileCheck and its kin lie beside the real clang, not always in PATH.
config.environment["PATH"] = os.pathsep.join([os.path.dirname(os.path.realpath(clang)), os.environ.get("PATH", "")])
if shutil.which("FileCheck", path=config.environment["PATH"]):
    config.available_features.add("filecheck")

# What Spin has found out of a model holds until the model changes (model/run_spin).
config.environment["KNOWN_OUTCOMES"] = os.path.join(root, "build", "models")

# lit starts tests with a nearly empty environment, so OMP_ variables of the caller do not reach them. The variables
# listed here are meant to.
for name in ("CHOMP_STRESS", "CHOMP_SEED", "CHOMP_SCHEDULER", "CHOMP_DOMAIN", "CHOMP_MEMBARRIER", "HWLOC_SYNTHETIC"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

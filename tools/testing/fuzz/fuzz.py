"""Fuzzes what reads text from outside: settings, affinity formats, files of the system. Each test/fuzz/*.cpp is one
libFuzzer program with AddressSanitizer and UBSan.

  tools/fuzz                        a minute in all
  tools/fuzz --seconds 3600 settings
  tools/fuzz --run FILE settings    one input, to debug what was found

It begins with the seeds in test/fuzz/seeds.json, texts as lists of lines, and what earlier runs found worth keeping (build/fuzz/corpus/). An input
that crashes, hangs or breaks a promise is printed and kept in build/fuzz/found/. Exit status: 0 nothing was found, 1
something, 77 this machine has no libFuzzer.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import screen  # noqa: E402
import progress  # noqa: E402
from common import ROOT, allowed_cpus, clean_environment, say  # noqa: E402

SOURCES = ROOT / "test" / "fuzz"
WORK = ROOT / "build" / "fuzz"
FLAGS = ["-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=undefined", "-D_GNU_SOURCE", f"-I{ROOT}"]
LONGEST_INPUT = 4096
LONGEST_RUN_SECONDS = 10
NO_FUZZER = 77


def compiler():
    """A clang++ whose libFuzzer is installed, or None."""
    for name in ("clang++-19", "clang++"):
        path = shutil.which(name)
        if path and has_fuzzer(path):
            return path
    return None


def has_fuzzer(path):
    program = "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
    return subprocess.run([path, "-x", "c++", "-fsanitize=fuzzer", "-", "-o", os.devnull], input=program, text=True,
                          capture_output=True, check=False).returncode == 0


def sources_of(fuzzer):
    """What is compiled with test/fuzz/<fuzzer>.cpp: what its first comment lists after SOURCES, patterns allowed."""
    comment = (SOURCES / f"{fuzzer}.cpp").read_text().split("\n#")[0]
    patterns = re.findall(r"[\w*/.]+\.cpp\b", comment.split("SOURCES:", 1)[1])
    return sorted({path for pattern in patterns for path in glob.glob(str(ROOT / pattern))})


def write_dictionary(fuzzer, path):
    """Words that inputs may be made of: the short strings in the code under test, names of new variables among them."""
    source = SOURCES / f"{fuzzer}.cpp"
    included = re.findall(r'^#include "([^"]+\.cpp)"', source.read_text(), re.M)
    words = set()
    for file in [*sources_of(fuzzer), *(ROOT / name for name in included)]:
        words |= {word for word in re.findall(r'"((?:[^"\\\n]|\\[\\"])+)"', Path(file).read_text()) if len(word) <= 40}
    path.write_text("".join(f'"{word}"\n' for word in sorted(words) if "%" not in word and word.isascii()))


def build(clang, fuzzer):
    """The program of one fuzzer, or None."""
    source, others = SOURCES / f"{fuzzer}.cpp", sources_of(fuzzer)
    WORK.mkdir(parents=True, exist_ok=True)
    program = WORK / fuzzer
    cached = [str(ROOT / "test" / "support" / "compile")] if shutil.which("ccache") else []  # most sources are those of several fuzzers
    command = [*cached, clang, *FLAGS, str(source), *others, "-pthread", "-ldl", "-o", str(program)]
    if subprocess.run(command, env={**os.environ, "CCACHE_DEPEND": "1"}, check=False).returncode != 0:
        say(f"fuzz: {fuzzer} does not compile")
        return None
    return program


def write_seeds(fuzzer):
    """A folder with the seeds of one fuzzer, a file each."""
    folder = WORK / "seeds" / fuzzer
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, lines in json.loads((SOURCES / "seeds.json").read_text())[fuzzer].items():
        (folder / name).write_text("".join(line + "\n" for line in lines))
    return folder


def environment(report):
    return {**clean_environment(), "FUZZ_REPORT": str(report), "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=1"}


def fuzz(program, seconds, jobs):
    """Runs one fuzzer. True if it found nothing."""
    fuzzer = program.name
    corpus, found = WORK / "corpus" / fuzzer, WORK / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    report = WORK / f"{fuzzer}.report"
    report.unlink(missing_ok=True)
    dictionary = WORK / f"{fuzzer}.dict"
    write_dictionary(fuzzer, dictionary)
    before = set(found.iterdir())
    # The messages under test go nowhere (close_fd_mask); libFuzzer's own and the sanitizers' do not.
    command = [program, f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}", f"-timeout={LONGEST_RUN_SECONDS}",
               f"-artifact_prefix={found}/{fuzzer}-", f"-dict={dictionary}", "-close_fd_mask=3", "-use_value_profile=1", "-print_final_stats=1",
               *(["-fork=" + str(jobs)] if jobs > 1 else []), corpus, write_seeds(fuzzer)]
    done = subprocess.run([str(word) for word in command], env=environment(report), stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
    runs = re.findall(r"number_of_executed_units: (\d+)|^#(\d+)", done.stdout, re.M)
    say(f"{fuzzer}: {max((int(a or b) for a, b in runs), default=0)} inputs in {seconds} s")
    if done.returncode == 0:
        return True
    say(done.stdout[-6000:])
    if report.exists():
        say("broken: " + report.read_text().strip())
    for path in sorted(set(found.iterdir()) - before):
        say(f"input, kept in {path.relative_to(ROOT)}:\n  {ascii(path.read_bytes())}")
    return False


def main():
    if sys.argv[1:2] == ["programs"]:
        from programs.main import main as run_programs  # a tool of its own
        return run_programs(sys.argv[2:])
    parser = screen.parser("tools/fuzz", "[FUZZER ...]", __doc__)
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER", help="names of files in test/fuzz (all of them)")
    parser.add_argument("--seconds", type=int, default=60, help="in all (60); as many fuzzers run at a time as there are CPUs")
    parser.add_argument("--jobs", type=int, default=1, help=f"processes for each (1; this machine has {allowed_cpus()} CPUs)")
    parser.add_argument("--run", metavar="FILE", help="only this input, its messages shown")
    screen.help_for(parser)
    options = parser.parse_args()

    known = sorted(path.stem for path in SOURCES.glob("*.cpp"))
    for name in options.fuzzers:
        if name not in known:
            parser.error(f"no such fuzzer: {name}; there are {', '.join(known)}")
    chosen = options.fuzzers or known
    if options.run and len(chosen) != 1:
        parser.error("--run needs the name of one fuzzer")

    clang = compiler()
    if clang is None:
        say("fuzz: no clang++ with libFuzzer here (package libclang-rt-dev)")
        return NO_FUZZER
    at_a_time = max(1, min(len(chosen), allowed_cpus() // options.jobs))
    with progress.Pool(at_a_time) as pool:
        programs = list(pool.map(lambda name: build(clang, name), chosen))
        if None in programs:
            return 1
        if options.run:
            return subprocess.run([programs[0], options.run], env=environment("/dev/stderr"), check=False).returncode
        seconds = max(1, options.seconds * at_a_time // len(programs))
        good = list(pool.map(lambda program: fuzz(program, seconds, options.jobs), programs))
    bad = [program.name for program, well in zip(programs, good) if not well]
    say(f"fuzz: {len(programs)} fuzzers, {len(bad)} found something" + (": " + ", ".join(bad) if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

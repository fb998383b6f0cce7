"""What is run: the programs of bots/ and uts/, or other people's executables, described in a TOML file
(tools/laboratory/regress/README.md), and how to tell from what a program printed whether its answer is right."""

import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from common import die

RIGHT, WRONG, CRASH, HANG, NO_ANSWER = "right", "wrong", "crash", "hang", "no answer"

# The output block of the Barcelona OpenMP Tasks Suite, which our programs print too.
SUITE_ANSWER = r"(?i)Verification\s*=\s*successful"
SUITE_WRONG = r"(?i)Verification\s*=\s*unsuccessful"
SUITE_TIME = r"(?i)Time Program\s*=\s*([0-9.eE+-]+)"
SUITE_SERIAL_TIME = r"(?i)Time Sequential\s*=\s*([0-9.eE+-]+)"

ANY = "any"  # an executable that is tried on every library, whoever compiled it


@dataclass(frozen=True)
class Entry:
    """One line of the table. Regular expressions are searched in standard output and standard error together."""

    name: str
    files: dict  # by compiler: "clang" and "gcc", or ANY
    arguments: tuple
    answer: str = SUITE_ANSWER  # "": the exit status alone tells
    wrong: str = SUITE_WRONG  # "": output without the answer is a wrong one
    time: str = SUITE_TIME  # its first group is seconds; "": the elapsed time of the process
    serial_time: str = SUITE_SERIAL_TIME  # the same for a serial run that the program times itself
    serial: tuple = ()  # or: a command that is the serial program
    environment: dict = field(default_factory=dict)
    timeout: float | None = None
    status: int = 0
    cutoff: bool | None = None  # None: not known

    def executable(self, compiler):
        """The build of it that belongs to a library for which `compiler` compiles, or None."""
        return self.files.get(compiler) or self.files.get(ANY)


def seconds_in(pattern, output):
    """None if the output does not say."""
    found = re.search(pattern, output) if pattern else None
    try:
        return float(found.group(1)) if found else None
    except ValueError:
        return None


def without_folders(text):
    """Results are passed on: the names of files, not where they lie on somebody's machine."""
    return re.sub(r"(/[^/\s:]+)+/", "", text)


def _complaint(output):
    """The first line of what a program said when it failed, shortened."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"(?i)error|assert|abort|overflow|fault|fatal", line)]
    return without_folders((telling or lines or ["no output"])[0])[:100]


def judge(entry, ended):
    """(RIGHT … NO_ANSWER, why)."""
    if ended.status is None:
        return HANG, f"no end after {ended.seconds:.0f} s"
    if ended.status < 0:
        return CRASH, f"signal {-ended.status}: {_complaint(ended.output)}"
    if entry.wrong and re.search(entry.wrong, ended.output):
        return WRONG, "says that its answer is wrong"
    if ended.status != entry.status:
        return (NO_ANSWER if entry.answer else WRONG), f"exit status {ended.status}: {_complaint(ended.output)}"
    if entry.answer and not re.search(entry.answer, ended.output):
        shown = bool(ended.output.strip()) and not entry.wrong
        return (WRONG if shown else NO_ANSWER), f"nothing matches {entry.answer!r}"
    if entry.time and seconds_in(entry.time, ended.output) is None:
        return NO_ANSWER, f"no time matches {entry.time!r}"
    return RIGHT, ""


def own_entries(cases, folder, gcc_build):
    """The programs of the tree. `gcc_build(name)` is the file of the one built by GCC, or None. A twin for oneTBB stands beside the
    tied version."""
    builds = {name: gcc_build(name) for name in dict.fromkeys(case.program for case in cases)}

    def twin(case):
        file = folder / f"{case.program}-tbb"
        return file if case.version == "tied" and file.exists() else None

    return [Entry(case.name, {"clang": folder / case.program, "gcc": builds[case.program], "tbb": twin(case)},
                  tuple(shlex.split(case.command)[1:]), cutoff=case.cutoff) for case in cases]


# ---- TOML ------------------------------------------------------------------------------------------------------------

_KEYS = {"file": str, "arguments": str, "answer": str, "wrong": str, "time": str, "serial_time": str, "serial": str,
         "environment": dict, "timeout": (int, float), "exit": int, "cutoff": bool}


def _checked(file, name, line):
    for key, value in line.items():
        if key not in _KEYS:
            die(f"{file}: {name}: no such key: {key}; there are {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[key]):
            die(f"{file}: {name}: {key} is a {type(value).__name__}")
        if key in ("answer", "wrong", "time", "serial_time"):
            try:
                groups = re.compile(value).groups
            except re.error as error:
                die(f"{file}: {name}: {key}: {error}")
            if value and "time" in key and groups < 1:
                die(f"{file}: {name}: {key} needs a group, (...), around the seconds")
    return line


def _entry(name, line, folder):
    words = shlex.split(line.get("serial", ""))
    values = {key: line[key] for key in ("answer", "time", "serial_time", "wrong", "timeout", "cutoff") if key in line}
    # A program with an answer of its own prints nothing of the suite's output block.
    if "answer" in line:
        values = {"wrong": "", "time": "", **values}
    if "answer" in line or "time" in line:
        values = {"serial_time": "", **values}
    return Entry(name, {ANY: folder / line.get("file", name)}, tuple(shlex.split(line.get("arguments", ""))),
                 serial=(folder / words[0], *words[1:]) if words else (), status=line.get("exit", 0),
                 environment={k: str(v) for k, v in line.get("environment", {}).items()}, **values)


def read_toml(file, folder):
    """The entries of a file. A program is one line under [programs]; [defaults] holds for lines that do not say otherwise."""
    try:
        data = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        die(f"{file}: {error.strerror}; --programs names another file")
    except tomllib.TOMLDecodeError as error:
        die(f"{file}: {error}")
    if set(data) - {"programs", "defaults"} or not data.get("programs"):
        die(f"{file}: wants a table [programs], and may have [defaults]; nothing else")
    defaults = _checked(file, "[defaults]", data.get("defaults", {}))
    found = [_entry(name, defaults | _checked(file, name, line), folder) for name, line in data["programs"].items()]
    missing = [entry for entry in found if not entry.files[ANY].is_file()]
    if missing:
        die(f"{file}: {missing[0].name}: {missing[0].files[ANY]} is no file")
    return found


def left_alone(entries, folder):
    """Executables of the folder that no line speaks of."""
    spoken_of = {entry.files[ANY].name for entry in entries} | {Path(entry.serial[0]).name for entry in entries if entry.serial}
    return sorted(file.name for file in folder.iterdir()
                  if file.is_file() and file.stat().st_mode & 0o111 and ".so" not in file.name and file.name not in spoken_of)

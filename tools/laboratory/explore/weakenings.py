"""Which calls of the instrumented library are the atomic accesses of one line of source, and the places whose orders are
weakened one by one (weakenings.txt)."""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from common import ROOT  # noqa: E402

LIST = Path(__file__).with_name("weakenings.txt")
LOST = {"acquire": "a", "release": "r", "both": "b"}
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s")
OURS = re.compile(r"/((?:runtime|schedulers|abi)/[^/]\S*)$")
WRAPPERS = ("runtime/base/atomic.h",)


def listed():
    """The places of weakenings.txt, as --weaken takes them."""
    lines = (line.strip() for line in LIST.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def split(place):
    """(file, line, what is lost) of FILE:LINE[:LOST], or FILE:TEXT[:LOST] where the text is in one line of the file."""
    file, _, rest = place.partition(":")
    where, _, lost = rest.rpartition(":")
    if lost not in LOST:
        where, lost = rest, "both"
    path = ROOT / file
    if not path.is_file():
        sys.exit(f"explore: there is no file {file}")
    if where.isdigit():
        return file, int(where), lost
    found = [number for number, line in enumerate(path.read_text().splitlines(), 1) if where in line]
    if len(found) != 1:
        sys.exit(f"explore: {len(found)} lines of {file} contain \"{where}\", not one")
    return file, found[0], lost


@functools.cache
def accesses(library):
    """For each (file, line): the offsets to which its atomic accesses return."""
    listing = subprocess.run([shutil.which("llvm-objdump-19") or "objdump", "-d", "--no-show-raw-insn", str(library)],
                             capture_output=True, text=True, check=True).stdout
    returns, after_call = [], False
    for line in listing.splitlines():
        found = INSTRUCTION.match(line)
        if not found:
            continue
        if after_call:
            returns.append(int(found[1], 16))
        after_call = "__tsan_atomic" in line
    # The address is where the call returns to: the instruction before it is the one that is meant.
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer") or sys.exit("explore: no llvm-symbolizer")
    said = subprocess.run([symbolizer, f"--obj={library}", "--output-style=JSON", "--relative-address"], text=True, check=True,
                          input="\n".join(hex(each - 1) for each in returns), capture_output=True).stdout
    places = {}
    for address, answer in zip(returns, said.splitlines()):
        for frame in json.loads(answer)["Symbol"]:
            found = OURS.search(frame["FileName"])
            if found and found[1] not in WRAPPERS:
                places.setdefault((found[1], frame["Line"]), []).append(address)
                break
    return places


def word(place, library):
    """What EXPLORE's word weaken= says for the place."""
    file, line, lost = split(place)
    # An access in a macro's argument, or behind a line break, belongs to the line on which the statement begins.
    found = next((each for up in range(3) if (each := accesses(library).get((file, line - up)))), None)
    if not found:
        sys.exit(f"explore: no atomic access is made at {file}:{line}")
    return ",".join(f"{LOST[lost]}{offset:x}" for offset in found)

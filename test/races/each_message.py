#!/usr/bin/env python3
"""Compares what `chomp explore` says of a faulty program, whole, when Clang and GCC have compiled it at -O0 and -O2.

usage: each_message.py CHOMP OUTPUT SOURCE

A line `SAYS: ...` of the source, for each line of the message, is a pattern for all of it. Neighbours that begin with blanks may
come in any order: which of two threads came first is a matter of chance. A line `OPTIONS: ...` has options of `chomp explore`,
`STATUS: ...` how that ends, 1 if there is none.
"""

import re
import subprocess
import sys
from pathlib import Path

from at_each_level import COMPILERS, compile_command


def message(text):
    """The lines of the first finding. A run that takes long says now and then how far it is."""
    lines = []
    for line in re.sub(r"^chomp explore: (run|order) \d+, .*\n", "", text, flags=re.M).splitlines():
        if lines and not line.startswith("    "):
            break
        if line.startswith("chomp explore: ") or lines:
            lines.append(line)
    return lines


def fits(lines, patterns):
    """Whether each line is as its pattern says, or that of a neighbour that begins with blanks, too."""
    patterns = list(patterns)
    for line in lines:
        for i, pattern in enumerate(patterns):
            if re.fullmatch(pattern, line):
                del patterns[i]
                break
            if not (line.startswith("    ") and pattern.startswith("    ")):
                return False
        else:
            return False
    return not patterns


def main():
    chomp, output, source = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    text = source.read_text()
    patterns = re.findall(r"^\W+ SAYS: (.*)$", text, re.M)
    options = " ".join(re.findall(r"^\W+ OPTIONS: (.*)$", text, re.M)).split()
    status = int((re.findall(r"^\W+ STATUS: (.*)$", text, re.M) or ["1"])[0])
    wrong = 0 if patterns else 1
    for name, compiler in COMPILERS[source.suffix].items():
        for level in (0, 2):
            program = f"{output}.{name}{level}"
            subprocess.run(compile_command(chomp, compiler, level, source, program), check=True)
            done = subprocess.run([chomp, "explore", "--seconds", "60", *options, program], capture_output=True, text=True, check=False)
            if done.returncode != status or not fits(message(done.stderr), patterns):
                wrong += 1
                print(f"{compiler} -O{level}: status {done.returncode}\n{done.stderr}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())

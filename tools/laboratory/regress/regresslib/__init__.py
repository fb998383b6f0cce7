"""tools/bench programs: runs task programs on OpenMP libraries in turn, checks their answers and compares times and memory.

    entries.py    what is run: our programs, or those of a TOML file        launch.py    one process: time, memory, how it ended
    libraries.py  what it runs on                                           rounds.py    all of it, in turn
    results.py    what came out                                             targets.py   what chomp's figures must be
    report.py     tables                                                    lit_format.py the same programs as tests of lit

Where other libraries are found and how GCC's builds of our programs are made is tools/bench's knowledge.
"""

import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3]
sys.path += [str(TOOLS / "lib"), str(TOOLS / "laboratory"), str(TOOLS / "laboratory" / "bench")]

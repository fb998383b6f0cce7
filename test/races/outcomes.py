"""usage: outcomes.py COMMAND ... = OUTCOME ...: the command, `chomp explore --exhaustive …`, says that it has explored all
orders, and the program's outputs are these and no others."""

import subprocess
import sys
import tempfile
from pathlib import Path

at = sys.argv.index("=")
words, wanted = sys.argv[1:at], set(sys.argv[at + 1 :])
place = words.index("--exhaustive") + 1
with tempfile.TemporaryDirectory() as folder:
    said = Path(folder) / "outputs"
    words[place:place] = ["--seconds", "60", "--any-output", "--check", f"tr '\\n' ' ' >> {said}; echo >> {said}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    got = {line.strip() for line in said.read_text().splitlines()}
if got != wanted or done.returncode != 0 or ": none fails" not in done.stderr:
    sys.exit(f"outputs {sorted(got)}, not {sorted(wanted)}; status {done.returncode}\n{done.stderr}")

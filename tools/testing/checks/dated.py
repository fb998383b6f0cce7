#!/usr/bin/env python3
"""Complains of a check that nobody has run for long: dated.txt has them all. A check that exists and is not run when it matters is
worth nothing, so each has a place in CI or a date.

  - Each folder of tools/testing with a command, each word that tools/check knows, and each question of LONG has a line.
  - What has `ci` there is a step, or a check, of tools/check.
  - What is not in CI ran at most so many days ago, on a commit of this history.

usage: tools/testing/checks/dated.py [--self-test | --ran NAME ...]
"""

import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TABLE = Path(__file__).with_name("dated.txt")
NO_CHECKS = {"check", "checks", "roots"}  # of the folders: the first two run the others; roots has two lines
LONG = ("commands", "quick", "builds", "tidy", "checks", "aarch64", "riscv64", "models", "explored_mutants", "packages", "clients", "release", "measured", "robust", "peers", "papers", "roots")
LINE = re.compile(r"(\w+)\s+(?:ci|(\d+)\s+(\d{4}-\d\d-\d\d)\s+([0-9a-f]{7,40}|never)\s+(\S.*))$")


def checks_of_tree():
    folders = {folder.name for folder in (ROOT / "tools" / "testing").iterdir() if folder.is_dir() and any(folder.glob("*.py"))}
    words = set(re.findall(r"^#   tools/check ([a-z]+) ", (ROOT / "tools" / "check").read_text(), re.M))
    return (folders | words) - NO_CHECKS | set(LONG)


def in_ci(name):
    return re.search(rf'"{name}\b', (ROOT / "tools" / "testing" / "check" / "check.py").read_text())


def problems(text, wanted, today, is_commit, in_ci=in_ci):
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = LINE.match(line)
        if not parts:
            yield f"dated.txt:{number}: not a line of the table: {line}"
            continue
        name, days, date, commit, command = parts.groups()
        found.add(name)
        if not days:
            if not in_ci(name):
                yield f"{name}: tools/check does not run it"
            continue
        age = (today - datetime.date.fromisoformat(date)).days
        if age > int(days):
            ran = f"ran {age} days ago, on {commit}" if commit != "never" else f"has not run for {age} days"
            yield f"{name} {ran}; it should every {days}: {command}"
        if commit != "never" and not is_commit(commit):
            yield f"{name}: no commit {commit} in this history"
    for name in sorted(wanted - found):
        yield f"{name} has no line in dated.txt"


def is_commit(commit):
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    whole = git("rev-parse", "--is-shallow-repository")
    if whole.returncode != 0 or whole.stdout.strip() != "false":
        return True  # an archive, or not all of the history
    return git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def last_run(name, text=None):
    """The commit on which a check ran last; None: it has no date, or has not run yet."""
    found = re.search(rf"^{name}\s+\d+\s+\S+\s+([0-9a-f]{{7,40}})\s", TABLE.read_text() if text is None else text, re.M)
    return found and found[1]


def changed_since(commit):
    """The files that are not as they were on that commit; None if this history does not have it."""
    if not commit:
        return None
    done = subprocess.run(["git", "diff", "--name-only", "--no-renames", commit, "--"], cwd=ROOT, capture_output=True, text=True, check=False)
    new = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    return {*done.stdout.splitlines(), *new.stdout.splitlines()} if done.returncode == new.returncode == 0 else None


def self_test():
    today = datetime.date(2026, 3, 1)
    good = "a  ci\nb  30  2026-02-10  1234567  tools/b\n"
    def said(text, known=lambda commit: True):
        return " ".join(problems(text, {"a", "b"}, today, known, lambda name: name == "a"))
    assert not said(good), said(good)
    assert "b ran 59 days ago" in said(good.replace("02-10", "01-01"))
    assert "b has not run for 59 days" in said(good.replace("02-10  1234567", "01-01  never"))
    assert "c: tools/check does not run it" in said(good + "c  ci\n")
    assert "a has no line" in said(good.replace("a  ci\n", ""))
    assert "not a line" in said(good + "c sometimes\n")
    assert "no commit" in said(good, lambda commit: False)
    assert (last_run("b", good), last_run("a", good), last_run("b", good.replace("1234567", "never"))) == ("1234567", None, None)
    assert {"mutants", "soak", "conformance", "machines"} <= checks_of_tree()
    print("dated: the self-test passes")
    return 0


def note(names):
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    text = TABLE.read_text()
    for name in names:
        text, count = re.subn(rf"^({name}\s+\d+\s+)\S+(\s+)\S+", rf"\g<1>{datetime.date.today()}\g<2>{commit}", text, flags=re.M)
        if count != 1:
            sys.exit(f"dated: {name} has no date in dated.txt")
    TABLE.write_text(text)
    return 0


def main():
    if sys.argv[1:2] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--ran"]:
        return note(sys.argv[2:])
    wanted = checks_of_tree()
    found = list(problems(TABLE.read_text(), wanted, datetime.date.today(), is_commit))
    print("\n".join([*found, f"dated: {len(wanted)} checks, {len(found)} problem(s)"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

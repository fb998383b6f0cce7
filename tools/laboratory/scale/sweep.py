"""tools/scale --sweep NUMBER,...: the runs of --recorded with a quarter to four times a number of runtime/base/policy.h, beside those
with the number as it is. Each value is compiled into a library of its own, beside the virtual build. Half and double are only tried where
a quarter or four times makes a run slower than --recorded allows."""

import re
from statistics import mean

from common import ROOT, die, say
from mutants import build_changed
from recorded import CHIPS, RUNS, measure, name_of
from virtual_build import BUILD

POLICY = "runtime/base/policy.h"
MACHINE = "libchomp-virtual.so"
USERS = ("runtime", "schedulers")
FACTORS = (("/ 4", "/ 2"), ("* 4", "* 2"))
LOOKS = ((1.0,), CHIPS)  # a run that is too slow may be so by chance


def numbers_of(text):
    """What each constant of policy.h is set to."""
    found = {}
    for declaration in re.findall(r"^inline constexpr \w+ (k\w+ = [^;]+);", text, re.M):
        found |= dict(re.findall(r"(k\w+) = ([^,]+)", declaration))
    return found


def chosen(text):
    """Those that are no part or multiple of another one."""
    return [name for name, value in numbers_of(text).items() if not re.search(r"\bk[A-Z]", value)]


def moving_with(text, number):
    """The number, and what is given in terms of it."""
    moving = {number}
    for name, value in numbers_of(text).items():
        if moving & set(re.findall(r"\w+", value)):
            moving.add(name)
    return moving


def users_of(names):
    word = re.compile(rf"\b({'|'.join(names)})\b")
    paths = {path for folder in USERS for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")} - {ROOT / POLICY}
    return [str(path.relative_to(ROOT)) for path in paths if word.search(path.read_text())]


def slowest(times, as_it_is):
    """(How much slower than the table of runs allows, ratio, run): of the run that is most so."""
    found = []
    for *what, tolerance in RUNS:
        name = name_of(*what)
        ratio = mean(times[name]) / mean(as_it_is[name])
        found.append((ratio / tolerance, ratio, name))
    return max(found)


def sweep(make_program, run, costs, options):
    text = (ROOT / POLICY).read_text()
    numbers = chosen(text) if options.sweep == "all" else options.sweep.split(",")
    for number in numbers:
        if number not in chosen(text):
            die(f"scale: {POLICY} has no number {number}; it has {', '.join(chosen(text))}", 2)
    home = BUILD / "mutants" / "sweep"

    def times(libraries, chips):
        return measure(make_program, lambda *words: run(*words, libraries_in=libraries), costs, options.jobs, chips)

    as_it_is = {chips: times(BUILD / "lib", chips) for chips in LOOKS}

    def with_factor(number, factor):
        (home / "source" / POLICY).parent.mkdir(parents=True, exist_ok=True)
        (home / "source" / POLICY).write_text(re.sub(rf"\b({number} = )([^;,]+)", rf"\1(\2) {factor}", text, count=1))
        try:
            libraries = build_changed(home, users_of(moving_with(text, number)), BUILD, options.jobs)
        except SystemExit:  # a static_assert has said why
            say(f"{number} {factor}: cannot be")
            return True
        (libraries / MACHINE).unlink(missing_ok=True)
        (libraries / MACHINE).symlink_to(BUILD / "lib" / MACHINE)
        for chips in LOOKS:
            beyond, ratio, name = slowest(times(libraries, chips), as_it_is[chips])
            if beyond <= 1:
                break
        say(f"{number} {factor}: {'breaks' if beyond > 1 else 'holds'}, {ratio:.2f} ({name})")
        return beyond > 1

    for number in numbers:
        for far, near in FACTORS:
            if with_factor(number, far):
                with_factor(number, near)
    return 0

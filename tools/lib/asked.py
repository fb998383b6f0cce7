"""What the command lines of tools/scale and tools/explore ask for by names and numbers, checked: types for argparse. A name that
nothing has would otherwise measure the default under that name."""

import argparse
import re

import mutants as mutants_of_tree
import scheduler_list

MOST_THREADS = 1024


def one_of(known, what, text):
    for word in text.split(","):
        if word not in known:
            raise argparse.ArgumentTypeError(f"there is no {what} {word!r}; there are: {', '.join(known)}")
    return text


def schedulers(text):
    """NAME,... or all: a list. Aliases become names."""
    names = {each.name: each.name for each in scheduler_list.read()}
    known = names | {each.alias: each.name for each in scheduler_list.read() if each.alias}
    return [known[word] for word in one_of(known, "scheduler", text).split(",")] if text != "all" else list(names)


def threads(text):
    """N,...: a list."""
    counts = text.split(",")
    for count in counts:
        if not re.fullmatch(r"[0-9]+", count) or not 1 <= int(count) <= MOST_THREADS:
            raise argparse.ArgumentTypeError(f"{count!r} is no number of threads: 1 to {MOST_THREADS}")
    return [int(count) for count in counts]


def machine(text):
    """CHIPSxCORES: as it is."""
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    if not found or not 1 <= int(found[1]) * int(found[2]) <= MOST_THREADS:
        raise argparse.ArgumentTypeError(f"{text!r} is no machine: CHIPSxCORES, as in 4x8, with {MOST_THREADS} cores at most")
    return text


def mutants(text):
    """NAME,... or all: as it is."""
    return text if text == "all" else one_of(mutants_of_tree.names(), "mutant", text)


def lit_mutants(text):
    """NAME,... of test/mutants/lit, or all: NAME,... of test/mutants."""
    known = [name.removeprefix("lit/") for name in mutants_of_tree.names("lit")]
    return text if text == "all" else ",".join(f"lit/{name}" for name in one_of(known, "mutant", text).split(","))


def mutant(text):
    """One name, or nothing."""
    return one_of(mutants_of_tree.names(), "mutant", text) if text else text

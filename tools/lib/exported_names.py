"""What abi/names.def says, for checks: which names the stock runtimes export, and in which versions chomp has each."""

import re
from collections import namedtuple
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "abi" / "names.def"
# `who` has the name ("libomp-19" …); chomp exports it in `nodes`, of which the first is its default one, or null, or in none.
Name = namedtuple("Name", "who nodes")


def expanded(word):
    """name{a,b} -> namea, nameb."""
    found = re.match(r"([^{]*){([^}]*)}(.*)$", word)
    if not found:
        return [word]
    return [name for choice in found[2].split(",") for name in expanded(found[1] + choice + found[3])]


def exported_names():
    """{name: Name} of every name in the file."""
    names, who, nodes = {}, [], []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "nodes ")) or not line:
            continue
        if not line.startswith("  "):
            left, _, right = line.partition("|")
            who, nodes = left.split(), right.split()
            nodes = {"none": [], "only": nodes[1:], "hidden": [None, *nodes[1:]]}.get("".join(nodes[:1]), ["VERSION", *nodes])
            continue
        for name in (name for word in line.split() for name in expanded(word.partition("=")[0])):
            if name in names:
                raise ValueError(f"abi/names.def: {name} stands there twice")
            names[name] = Name(who, nodes)
    return names

"""A random program as a tree of constructs: what is made from a seed, written as source, and reduced when it fails.

A node has a kind (a construct, or a few that belong together), parameters, and a body of nodes. Writing a tree takes no random
choice: equal trees give equal programs. The class of a kind (kinds*.py) registers itself here with `@kind`.
"""

import copy

KINDS = {}


class Unfit(Exception):
    """A tree that OpenMP forbids, which reducing may make for a moment: a loop inside a task, say."""


class Node:
    """One construct: kind, parameters, body."""

    def __init__(self, kind, params=None, body=None):
        self.kind, self.p, self.body = kind, params or {}, body or []

    def __repr__(self):
        return f"{self.kind}{self.p}{self.body or ''}"

    def copy(self):
        return copy.deepcopy(self)

    def walk(self):
        yield self
        for child in self.body:
            yield from child.walk()

    def size(self):
        return sum(1 for _ in self.walk())


class Kind:
    """What there is to know of a kind of construct. `where`: the contexts it may stand in, of "team" (every thread of the team meets
    it, and worksharing is allowed), "one" (one task executes it; tasks are allowed) and "top" (not inside any construct)."""

    name = ""
    where = ()
    weight = 3
    languages = ("c", "c++")
    smallest = {}  # parameter: the smallest number it may have (1)
    fixed = ()     # parameters that stay what they are
    holds = True   # whether it has a body
    drawn = True   # whether random trees have it
    cost = 1       # how much one execution of it costs, roughly: a region costs more than a task

    def make(self, rng, grow):
        """A random node; grow(context, times) makes a body that is executed that often."""
        raise NotImplementedError

    def write(self, node, w, here):
        """Writes the node; returns the Value that executing it once adds to the variables of the constructs around."""
        raise NotImplementedError


def kind(cls):
    KINDS[cls.name] = cls()
    return cls


class Value(dict):
    """What a piece of code adds to variables: variable -> (a, b), a in all, and b for each thread of the team."""

    def add(self, other, times=1):
        for slot, (a, b) in other.items():
            mine = self.get(slot, (0, 0))
            self[slot] = (mine[0] + a * times, mine[1] + b * times)
        return self

    def by_each_thread(self):
        """The same code, executed by every thread of the team."""
        return Value({slot: (0, a + b) for slot, (a, b) in self.items()})


# ---- What reducing tries ---------------------------------------------------------------------------------------------

def smaller_trees(root):
    """Trees a little smaller than this one, the boldest first. The root itself stays."""
    yield from without_parts(root)
    yield from with_body_instead(root)
    yield from with_less(root)


def positions(root):
    """(path of the parent, index) of every node but the root, outer nodes first."""
    found, level = [], [((), root)]
    while level:
        following = []
        for path, node in level:
            for index, child in enumerate(node.body):
                found.append((path, index))
                following.append((path + (index,), child))
        level = following
    return found


def at(root, path):
    for index in path:
        root = root.body[index]
    return root


def without_parts(root):
    # Halves of long bodies first.
    for path in [(), *(parent + (index,) for parent, index in positions(root))]:
        length = len(at(root, path).body)
        if length >= 4:
            for keep in (slice(0, length // 2), slice(length // 2, None)):
                tree = root.copy()
                at(tree, path).body = at(tree, path).body[keep]
                yield tree
    for parent, index in positions(root):
        tree = root.copy()
        del at(tree, parent).body[index]
        yield tree


def with_body_instead(root):
    for parent, index in positions(root):
        if at(root, parent).body[index].body:
            tree = root.copy()
            node = at(tree, parent).body[index]
            at(tree, parent).body[index:index + 1] = node.body
            yield tree


def with_less(root):
    for parent, index in positions(root):
        node = at(root, parent).body[index]
        for name, value in node.p.items():
            for less in less_of(KINDS[node.kind], name, value):
                tree = root.copy()
                at(tree, parent).body[index].p[name] = less
                yield tree


def less_of(its_kind, name, value):
    if name in its_kind.fixed:
        return
    if isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, int):
        smallest = its_kind.smallest.get(name, 1)
        yield from sorted({smallest, (value + smallest) // 2, value - 1} - {value} - set(range(-9, smallest)))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield value[:i] + value[i + 1:]
    elif isinstance(value, str) and value:
        yield ""

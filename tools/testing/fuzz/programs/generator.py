"""From a seed to a tree. What is costly (a region, many tasks) is made less often the deeper it stands, so that programs stay short."""

import random

from programs import kinds_basic, kinds_cancel, kinds_cxx, kinds_deps, kinds_fortran, kinds_fortran_tasks, kinds_graphs  # noqa: F401
from programs import kinds_leaving, kinds_loops, kinds_newer, kinds_owing, kinds_process, kinds_regions, kinds_stopping, kinds_tasks  # noqa: F401
from programs.tree import KINDS, Node

WORK = 2500     # what one program may cost, in tasks or so
DEEPEST = 6
LARGEST = 20    # nodes, about


class Grow:
    """Makes bodies at one place of the tree."""

    def __init__(self, rng, language, context="team", top=True, times=1, depth=0, regions=0, group=False, only=None, made=None):
        self.made = [0] if made is None else made  # how many nodes there are, of the whole tree
        self.rng, self.language, self.context, self.top = rng, language, context, top
        self.times, self.depth, self.regions, self.group, self.only = times, depth, regions, group, only

    def count(self, low, high):
        """A random number that fits into what is left of the budget."""
        return max(low, min(self.rng.randint(low, high), WORK // (8 * self.times)))

    def __call__(self, context, times=1, regions=0, group=None, most=3):
        """A body."""
        same = context == "same"
        inside = Grow(self.rng, self.language, self.context if same else context, False, self.times * times * (2 if regions else 1),
                      self.depth + 1, self.regions + regions, self.group if group is None else group, self.only, self.made)
        return inside.body(most)

    def fits(self, kind, leaf):
        if self.language not in kind.languages or kind.weight == 0 or kind.cost * self.times > WORK or self.only and kind.name not in self.only:
            return False
        if leaf or self.depth >= DEEPEST:
            return "leaf" in kind.where or (not leaf and not kind.holds and self.allows(kind))
        return self.allows(kind)

    def allows(self, kind):
        return self.context in kind.where or (self.context == "team" and "one" in kind.where) or (self.top and "top" in kind.where)

    def weight(self, kind):
        # What belongs to teams comes first there: each thread for itself does the rest elsewhere too.
        return kind.weight * (4 if self.context == "team" and "team" in kind.where and kind.holds else 1) * (4 if self.top and "top" in kind.where else 1)

    def body(self, most):
        leaf = self.context == "leaf"
        kinds = [kind for kind in KINDS.values() if self.fits(kind, leaf)]
        nodes = []
        for _ in range(self.rng.randint(0 if leaf else 1, most)):
            if not kinds or self.made[0] >= LARGEST:
                break
            self.made[0] += 1
            kind = self.rng.choices(kinds, [self.weight(kind) for kind in kinds])[0]
            made = kind.make(self.rng, self)
            if made is not None:
                nodes.append(Node(kind.name, *made))
        return nodes


def random_tree(seed, language, only=None):
    """The tree of a program."""
    rng = random.Random(f"chomp {language} {seed}")
    root = Node("program", {})
    # A program is about one or two things, so that those meet often.
    fortran = language == "fortran"
    favourites = rng.sample(sorted(name for name, kind in KINDS.items() if kind.drawn and ("fortran" in kind.languages) == fortran), 3)
    grow = Grow(rng, language, "one" if fortran else "team", only=only)
    outer = ["fortran parallel", "fortran parallel", "fortran parallel do", "fortran task"] if fortran else [
        "parallel", "parallel", "parallel", "parallel for", "teams", "task"]
    for _ in range(rng.randint(1, 3)):
        kind = KINDS[rng.choice(outer)]
        if rng.random() < 0.75 and grow.fits(kind, False):
            made = kind.make(rng, grow)
            if made is not None:
                root.body.append(Node(kind.name, *made))
        else:
            root.body += grow.body(2)
    for name in favourites:
        kind = KINDS[name]
        if grow.fits(kind, False) and rng.random() < 0.3:
            made = kind.make(rng, grow)
            if made is not None:
                root.body.append(Node(kind.name, *made))
    return root


def kinds_in(root):
    return {node.kind for node in root.walk()} - {"program"}

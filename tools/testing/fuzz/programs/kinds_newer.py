"""Tasks with clauses of OpenMP 6.0 that no compiler here has: the program makes them by calls, as newer compilers do."""

from programs.tree import Kind, kind
from programs.writer import credit

TIED, PRIORITY, POOL, UNDEFERRED = 1, 0x20, 0x80, 1 << 16
KINDS = {"in": 1, "inout": 3, "mutexinoutset": 4, "inoutset": 8}
MOST_VARIABLES, MOST_LEVELS = 5, 3
WAYS = ["wait", "group", "grandchildren", "reduction"]  # as kFuzzWait … in prelude.h


@kind
class NewerTasks(Kind):
    """Transparent tasks and what they make, tasks for free agents, undeferred ones, in a tree. The creator has executed the same steps
    in their order; each leaf finds what it had then (fuzz_newer_tasks() in prelude.h). In a graph they begin anew in each round."""

    name, where, weight, holds, cost = "newer", ("one",), 4, False, 60
    fixed = ("vars",)

    def make(self, rng, grow):
        variables = rng.randint(1, MOST_VARIABLES)
        steps = [self.make_step(rng, variables, 0) for _ in range(rng.randint(1, 8))]
        return {"vars": variables, "steps": steps, "n": rng.choice([1, 1, 2, grow.count(1, 12)]), "graph": rng.random() < 0.25}, []

    def make_step(self, rng, variables, level):
        flags = rng.choice([0, TIED, TIED, TIED]) | rng.choice([0, 0, POOL]) | rng.choice([0, 0, 0, PRIORITY])
        if rng.random() < 0.1:
            flags = TIED | UNDEFERRED  # inside a transparent task it waits for what that imports
        # What comes after an undeferred task waits for its children, but not for what those stand for.
        if level + (2 if flags & UNDEFERRED else 1) < MOST_LEVELS and rng.random() < 0.35:
            level += flags & UNDEFERRED and 1
            return [flags, [self.make_step(rng, variables, level + 1) for _ in range(rng.randint(1, 4))], []]
        used = rng.sample(range(variables), rng.randint(1, min(3, variables)))
        return [flags, [], [[rng.choice(["in", "in", "inout", "inout", "mutexinoutset", "inoutset"]), v] for v in used]]

    def flat(self, steps):
        texts = []
        for flags, children, uses in steps:
            below = self.flat(children)
            used = ", ".join(f"{{{KINDS[kind_]}, {v}}}" for kind_, v in uses)
            texts += [f"{{{flags}, {1 + len(below)}, {len(uses)}, {{{used or '{0, 0}'}}}}}", *below]
        return texts

    def write(self, node, w, here):
        texts, name = self.flat(node.p["steps"]), w.name("s")
        with w.block():
            w.line(f"static const struct fuzz_step {name}[] = {{")
            for text in texts or ["{0, 1, 0, {{0, 0}}}"]:
                w.line(f"    {text},")
            w.line("};")
            graph = "fuzz_graph_id()" if node.p["graph"] else "0"
            w.line(f"fuzz_newer_tasks({name}, {max(1, len(texts))}, {node.p['n']}, {graph});")
        return credit(w, here, 1)


@kind
class Agents(Kind):
    """Trees of tasks for free agents, which wait for their children in every way there is (fuzz_agents() in prelude.h)."""

    name, where, weight, holds, cost = "agents", ("one",), 3, False, 100

    def make(self, rng, grow):
        depth = rng.randint(1, 3)
        return {"depth": depth, "width": rng.randint(1, 3 if depth < 3 else 2), "n": rng.choice([1, 1, 3]),
                "ways": rng.choice([WAYS, WAYS, [rng.choice(WAYS)], rng.sample(WAYS, 2)])}, []

    def write(self, node, w, here):
        p = node.p
        ways = sum(1 << WAYS.index(each) for each in p["ways"] or WAYS)
        w.line(f"for (int i = 0; i < {p['n']}; i++) fuzz_agents({p['depth']}, {p['width']}, {ways});")
        return credit(w, here, 1)

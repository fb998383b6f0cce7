"""What tasks leave behind: untied ones that yield away from what their children have left, and tasks of mixed kinds that nobody waits for
but a group or the end of a region."""

from programs.tree import Kind, kind
from programs.writer import credit

# A step of an untied task, and how many tasks it makes: each child leaves the others behind. No taskgroup: Clang 19 crashes at -O0.
STEPS = {"child": 1, "grandchild": 2, "great-grandchild": 3, "yield": 0, "move": 0, "meet": 0, "wait": 0}
ENDS = ["group", "barrier", "region", "single"]


@kind
class Leaving(Kind):
    """Untied tasks whose children leave grandchildren behind, and which then yield, or go on on another thread."""

    name, where, weight, holds, cost = "leaving", ("one",), 4, False, 60

    def make(self, rng, grow):
        steps = [rng.choice(["child", "grandchild", "grandchild", "great-grandchild", "yield", "yield", "move", "meet", "wait"])
                 for _ in range(rng.randint(1, 6))]
        end = rng.choice(ENDS) if grow.regions < 2 else "group"
        return {"steps": steps, "n": grow.count(1, 6), "tied": rng.random() < 0.15, "slow": rng.random() < 0.7,
                "end": end, "threads": rng.randint(1, 4)}, []

    def write_chain(self, w, length, slow):
        for below in reversed(range(length)):
            w.pragma("task firstprivate(count)")
            w.open()
            if slow and below == 0:
                w.line("usleep(500);")
            w.line("fuzz_count(count);")
        for _ in range(length):
            w.close()

    def write_step(self, w, step, slow):
        if step in ("yield", "move", "meet"):
            # Progress must not depend on a yield: so it gives up.
            if step == "meet":
                w.line("__atomic_fetch_add(met, 1, __ATOMIC_RELAXED);")
            again = {"yield": "", "move": "omp_get_thread_num() == 0", "meet": "__atomic_load_n(met, __ATOMIC_RELAXED) % 2 != 0"}[step]
            w.pragma("taskyield")
            for _ in range(3 if step != "yield" else 0):
                with w.block(f"if ({again}) {{"):
                    w.pragma("taskyield")
        elif step == "wait":
            w.pragma("taskwait")
        else:
            self.write_chain(w, STEPS[step], slow)

    def write_tasks(self, w, p):
        with w.block(f"for (int i = 0; i < {p['n']}; i++) {{"):
            w.pragma(f"task {'' if p['tied'] else 'untied'} firstprivate(count, met)")
            w.open()
            for step in p["steps"]:
                self.write_step(w, step, p["slow"])
            w.close()

    def write(self, node, w, here):
        p = node.p
        check = f"CHECK_EQ(__atomic_load_n(count, __ATOMIC_RELAXED), {p['n'] * sum(STEPS[step] for step in p['steps'])});"
        with w.block():
            w.line("long count_ = 0, *count = &count_;")
            w.line("int met_ = 0, *met = &met_;")
            w.line("(void)met;")
            if (p["end"] or "group") == "group":
                w.pragma("taskgroup")
                w.open()
                self.write_tasks(w, p)
                w.close()
                w.line(check)
            else:
                with w.construct(f"parallel num_threads({p['threads']})"):
                    with w.construct("single" if p["end"] == "single" else "single nowait"):
                        self.write_tasks(w, p)
                    if p["end"] == "barrier":
                        w.pragma("barrier")
                    if p["end"] in ("barrier", "single"):
                        w.line(check)
                w.line(check)
        return credit(w, here, 1)


@kind
class Mixed(Kind):
    """Trees of tasks that are untied, detached, for free agents, or some of these, which wait in every way or not at all
    (fuzz_mixed() in prelude.h)."""

    name, where, weight, holds, cost = "mixed", ("one",), 4, False, 100
    fixed = ("seed",)
    smallest = {"threads": 0}

    def make(self, rng, grow):
        return {"seed": rng.randint(0, 1 << 30), "depth": rng.randint(1, 4), "n": rng.choice([1, 1, 3]),
                "threads": rng.choice([0, 1, 1, 2]) if grow.regions < 2 else 0}, []

    def write(self, node, w, here):
        p = node.p
        w.line(f"for (int i = 0; i < {p['n']}; i++) fuzz_mixed({p['seed']}u + (unsigned)i, {p['depth']}, {p['threads']});")
        return credit(w, here, 1)

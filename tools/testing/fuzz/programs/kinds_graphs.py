"""Task graphs: recorded by the calls that LLVM's record and replay has for it, and replayed."""

from programs.tree import Kind, kind
from programs.writer import credit

READS, WRITES = ("in", "inout"), ("out", "inout")


@kind
class Graph(Kind):
    """A random graph of tasks on a few variables, executed several times. Its creator executes the same steps on a copy (e). A library
    without these calls goes through the region each time, which gives the same answers."""

    name, where, weight, holds, cost = "graph", ("one",), 3, False, 60
    fixed = ("vars",)

    def make(self, rng, grow):
        variables = rng.randint(1, 5)
        tasks = []
        for _ in range(rng.choice([1, 3, rng.randint(2, 10)])):
            used = rng.sample(range(variables), rng.randint(1, min(3, variables)))
            tasks.append([[(rng.choice(["in", "in", "out", "inout", "inout", "mutexinoutset"]), v) for v in used],
                          self.make_extra(rng)])
        return {"vars": variables, "tasks": tasks, "n": rng.choice([1, 1, 1, 40, grow.count(1, 12)]), "rounds": rng.choice([1, 2, 3, 9]),
                "nowait": rng.random() < 0.3}, []

    def make_extra(self, rng):
        """What is special about a task, or comes before it."""
        if rng.random() < 0.5:
            return rng.choice(["", "", "if(0)", "child", "left", "taskwait", "group", "detach", "taskloop", "reduction"])
        clauses = ("untied", "priority(3)", "final(1)", "mergeable", "affinity({d}[0])")
        return " ".join(clause for clause in clauses if rng.random() < 0.4)

    def write(self, node, w, here):
        p, d, e, left = node.p, w.name("d"), w.name("e"), w.name("l")
        count = p["vars"]
        with w.block():
            w.line(f"unsigned long {d}_[{count}], *{d} = {d}_, {e}[{count}];")
            w.line(f"int {left} = 0, {left}_reduced = 0, id = fuzz_graph_id();")  # nobody else may use what is reduced
            w.line(f"for (int i = 0; i < {count}; i++) {d}[i] = {e}[i] = i + 1;")
            w.pragma("taskgroup")
            with w.block(f"for (int r = 0; r < {p['rounds']}; r++) {{"):
                with w.block(f"if (fuzz_graph_begin({int(p['nowait'])}, id)) {{"):
                    with w.block(f"for (unsigned long r = 0; r < {p['n']}; r++) {{"):
                        for number, (uses, extra) in enumerate(p["tasks"]):
                            self.write_task(w, number, uses, extra, d, left)
                w.line(f"fuzz_graph_end({int(p['nowait'])}, id);")
                with w.block(f"for (unsigned long r = 0; r < {p['n']}; r++) {{"):
                    for number, (uses, _) in enumerate(p["tasks"]):
                        with w.block():
                            self.write_steps(w, number, uses, e)
                if not p["nowait"]:
                    w.line(f"for (int i = 0; i < {count}; i++) CHECK_EQ({d}[i], {e}[i]);")
            w.line(f"for (int i = 0; i < {count}; i++) CHECK_EQ({d}[i], {e}[i]);")
            for variable, amounts in ((left, {"left": 1, "taskloop": 7}), (f"{left}_reduced", {"reduction": 6})):
                leaves = sum(amounts.get(extra, 0) for _, extra in p["tasks"])
                w.line(f"CHECK_EQ({variable}, {leaves * p['n'] * p['rounds']});")
        return credit(w, here, 1)

    def write_task(self, w, number, uses, extra, d, left):
        if extra == "taskwait":
            w.pragma("taskwait")
        if extra == "group":
            w.pragma("taskgroup")
            w.open()
        if extra == "taskloop":
            w.pragma(f"taskloop grainsize(2) {('final(1)', 'untied', 'if(0)', 'priority(2)')[number % 4]} shared({left})")
            with w.block("for (int k = 0; k < 7; k++) {"):
                if number % 4 == 0:
                    w.line("CHECK(omp_in_final());")
                w.pragma("atomic")
                w.line(f"{left}++;")
        if extra == "reduction":
            with w.construct(f"taskgroup task_reduction(+: {left}_reduced)"):
                w.line("for (int k = 0; k < 3; k++)")
                with w.construct(f"task in_reduction(+: {left}_reduced)"):
                    w.line(f"{left}_reduced += 2;")
        clause = "" if extra in ("child", "left", "taskwait", "group", "taskloop", "reduction") else extra.format(d=d)
        if extra == "detach":
            event = w.name("v")
            w.line(f"omp_event_handle_t {event};")
            clause = f"detach({event})"
        depends = " ".join(f"depend({kind_}: {d}[{v}])" for kind_, v in uses)
        if extra == "left":
            depends += f" shared({left})"
        with w.construct(f"task firstprivate(r, {d}) {clause} {depends}"):
            if extra == "child":
                w.pragma(f"task firstprivate(r, {d})")
                w.open()
            if extra == "left":
                with w.construct(f"task shared({left})"):
                    w.pragma("atomic")
                    w.line(f"{left}++;")
            if "final(1)" in clause:
                w.line("CHECK(omp_in_final());")
                w.line("int ran = 0;")
                with w.construct("task shared(ran)"):
                    w.line("ran = 1;")
                w.line("CHECK_EQ(ran, 1);")
            self.write_steps(w, number, uses, d)
            if extra == "detach":
                w.line(f"omp_fulfill_event({event});")
            w.line("r = 1000;")  # the next replay finds what was recorded
            if extra == "child":
                w.close()
                w.pragma("taskwait")
        if extra == "group":
            w.close()

    def write_steps(self, w, number, uses, to):
        w.line(f"unsigned long sum = {number} + r;")
        for kind_, v in uses:
            if kind_ in READS:
                w.line(f"sum = sum * 31 + {to}[{v}];")
        for kind_, v in uses:
            if kind_ in WRITES:
                w.line(f"{to}[{v}] = sum + {v};")
            elif kind_ == "mutexinoutset":
                w.line(f"{to}[{v}] += r + {number + 1};")

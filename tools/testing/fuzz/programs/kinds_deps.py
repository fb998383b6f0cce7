"""Tasks with dependences, checked against what the tasks would do one after the other."""

from programs.tree import Kind, kind
from programs.writer import credit

ORDERED = ("in", "out", "inout")


@kind
class Dependences(Kind):
    """A random graph of tasks on a few variables. The creator executes the same steps on its own copy (e), in the order of creation; a
    task that is ordered after its predecessors sees exactly what the creator had then."""

    name, where, weight, holds, cost = "depend", ("one",), 7, False, 30
    fixed = ("vars",)

    def make(self, rng, grow):
        variables = rng.randint(1, 5)
        tasks = []
        for _ in range(rng.randint(2, 10)):
            used = rng.sample(range(variables), rng.randint(1, min(3, variables)))
            tasks.append([[(rng.choice(["in", "in", "out", "inout", "inout", "mutexinoutset", "mutexinoutset", "inoutset"]), v) for v in used],
                          rng.choice(["", "", "", "", "untied", "if(0)", "priority(3)", "final(1)", "mergeable", "detach", "depobj", "iterator",
                                      "taskwait", "all"])])
        return {"vars": variables, "tasks": tasks, "n": rng.choice([1, 1, 3, grow.count(1, 12)]), "end": rng.choice(["taskwait", "taskgroup"]),
                "yield": rng.random() < 0.2}, []

    def write(self, node, w, here):
        p, d, e = node.p, w.name("d"), w.name("e")
        count = p["vars"]
        with w.block():
            w.line(f"unsigned long {d}_[{count}], *{d} = {d}_, {e}[{count}];")
            w.line(f"for (int i = 0; i < {count}; i++) {d}[i] = {e}[i] = i + 1;")
            if p["end"] == "taskgroup":
                w.pragma("taskgroup")
            with w.block(f"for (int r = 0; r < {p['n']}; r++) {{"):
                for number, (uses, extra) in enumerate(p["tasks"]):
                    with w.block():
                        self.write_task(w, here, number, uses, extra, d, e, p)
            if p["end"] != "taskgroup":
                w.pragma("taskwait")
            w.line(f"for (int i = 0; i < {count}; i++) CHECK_EQ({d}[i], {e}[i]);")
        return credit(w, here, 1)

    def write_task(self, w, here, number, uses, extra, d, e, p):
        if extra == "detach" and (here.final or any(kind_ == "mutexinoutset" for kind_, _ in uses)):
            extra = ""  # a detached task that has only to be fulfilled: does it still exclude others? The specification is silent
        if extra in ("taskwait", "iterator"):
            self.write_readers(w, extra, d, e, p["vars"], uses)
            return
        names = {v: w.name("x") for _, v in uses}
        for kind_, v in uses:
            w.line(f"unsigned long {names[v]} = {e}[{v}];")
        depends, other = [f"depend({kind_}: {d}[{v}])" for kind_, v in uses], None
        if extra == "depobj":
            kind_, v = uses[0]
            w.line("omp_depend_t o;")
            self.both(w, f"depobj(o) depend({kind_}: {d}[{v}])", f"depobj(o) depend({'inout' if kind_ == 'inoutset' else kind_}: {d}[{v}])")
            depends[0] = "depend(depobj: o)"
        if extra == "all":
            other = "depend(inout: omp_all_memory)"
        clauses = extra if extra not in ("", "detach", "depobj", "all") else ""
        if extra == "detach":
            w.line("omp_event_handle_t ev;")
            clauses = "detach(ev)"
        text = f"task firstprivate({', '.join(names.values())}) {clauses} {' '.join(depends)}"
        if other:
            self.both(w, f"task firstprivate({', '.join(names.values())}) {clauses} {other}", self.for_gcc(text))
        else:
            self.both(w, text, self.for_gcc(text))
        with w.block():
            if extra == "detach":
                # The work is done by a child, which then ends the task.
                w.pragma(f"task firstprivate(ev, {', '.join(names.values())})")
                w.open()
            if p["yield"] and all(kind_ not in ("mutexinoutset",) for kind_, _ in uses):
                w.pragma("taskyield")
            for kind_, v in uses:
                x = names[v]
                if kind_ in ORDERED:
                    w.line(f"CHECK_EQ({d}[{v}], {x});")
                if kind_ in ("out", "inout"):
                    w.line(f"{d}[{v}] = {x} * 3 + {number};")
                elif kind_ == "mutexinoutset":
                    w.line(f"{d}[{v}] += {number + 1};")
                elif kind_ == "inoutset":
                    w.pragma("atomic")
                    w.line(f"{d}[{v}] += {number + 1};")
            if extra == "detach":
                w.line("omp_fulfill_event(ev);")
                w.close()
        for kind_, v in uses:
            if kind_ in ("out", "inout"):
                w.line(f"{e}[{v}] = {e}[{v}] * 3 + {number};")
            elif kind_ != "in":
                w.line(f"{e}[{v}] += {number + 1};")
        if extra == "depobj":
            w.pragma("depobj(o) destroy")

    def write_readers(self, w, extra, d, e, count, uses):
        if extra == "taskwait":
            v = uses[0][1]
            w.pragma(f"taskwait depend(in: {d}[{v}])")
            w.line(f"CHECK_EQ({d}[{v}], {e}[{v}]);")
            return
        x = w.name("x")
        w.line(f"unsigned long {x} = 0;")
        w.line(f"for (int i = 0; i < {count}; i++) {x} = {x} * 5 + {e}[i];")
        with w.construct(f"task firstprivate({x}) depend(iterator(it = 0:{count}), in: {d}[it])"):
            w.line("unsigned long y = 0;")
            w.line(f"for (int i = 0; i < {count}; i++) y = y * 5 + {d}[i];")
            w.line(f"CHECK_EQ(y, {x});")

    def for_gcc(self, text):
        return text.replace("depend(inoutset", "depend(inout")

    def both(self, w, clang, gcc):
        if clang == gcc:
            w.pragma(clang)
        else:
            w.pragmas(clang, gcc)

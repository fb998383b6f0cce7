"""Tasks that end when others say so, among siblings that depend on them."""

from programs.tree import Kind, kind
from programs.writer import credit

READS = ("in", "inout")


@kind
class Owed(Kind):
    """Tasks with dependences, whose results are written by others: a pthread or a child, which then lets the task end (by FUZZ_STOPS, see
    kinds_stopping.py, or by the event of a detach clause). A successor that begins before that reads what was there before. They stand
    in a task of any kind, or in a team of one. Their creator executes the same steps on a copy (e)."""

    name, where, weight, holds, cost = "owed", ("one",), 5, False, 40
    fixed = ("vars",)
    inside = ("", "task", "task untied", "task final(1)", "task final(1) untied", "task if(0)", "task mergeable", "parallel num_threads(1)")

    def make(self, rng, grow):
        variables = rng.randint(1, 4)
        tasks = []
        for _ in range(rng.randint(2, 8)):
            used = rng.sample(range(variables), rng.randint(1, min(3, variables)))
            tasks.append([[(rng.choice(["in", "in", "out", "inout", "inout", "mutexinoutset"]), v) for v in used],
                          rng.choice(["", "", "", "untied", "untied", "final(1)", "mergeable", "priority(2)", "final(1) untied", "taskwait"]),
                          rng.choice(["self", "child", "pthread", "pthread", "detach", "both"])])
        return {"vars": variables, "tasks": tasks, "n": rng.choice([1, 2, grow.count(1, 12)]), "in": rng.choice(self.inside),
                "group": rng.random() < 0.4}, []

    def write(self, node, w, here):
        p, d, e = node.p, w.name("d"), w.name("e")
        count = p["vars"]
        w.pointers[d] = "unsigned long"
        with w.block():
            w.line(f"unsigned long {d}_[{count}], *{d} = {d}_, {e}[{count}];")
            w.line(f"for (int i = 0; i < {count}; i++) {d}[i] = {e}[i] = i + 1;")
            if p["in"]:
                w.pragma(p["in"] + ("" if p["in"].startswith("parallel") else f" firstprivate({d})"))
                w.open()
            w.in_a_function(lambda: self.write_tasks(w, here, p, d))
            if p["in"]:
                w.close()
                w.pragma("taskwait")
            with w.block(f"for (unsigned long r = 0; r < {p['n']}; r++) {{"):
                for number, (uses, _, _) in enumerate(p["tasks"]):
                    with w.block():
                        self.write_sum(w, number, uses, e)
                        for kind_, v in uses:
                            if kind_ != "in":
                                w.line(f"{e}[{v}] {'+=' if kind_ == 'mutexinoutset' else '='} {self.result(number, kind_, v)};")
            w.line(f"for (int i = 0; i < {count}; i++) CHECK_EQ({d}[i], {e}[i]);")
        return credit(w, here, 1)

    def write_tasks(self, w, here, p, d):
        if p["group"]:
            w.pragma("taskgroup")
        with w.block(f"for (unsigned long r = 0; r < {p['n']}; r++) {{"):
            for number, (uses, extra, how) in enumerate(p["tasks"]):
                with w.block():
                    self.write_task(w, number, uses, extra, how, d)
        if not p["group"]:
            w.pragma("taskwait")

    def write_task(self, w, number, uses, extra, how, d):
        kind_, v = uses[0]
        if extra == "taskwait":
            extra = ""
            w.pragma(f"taskwait depend({'inout' if kind_ == 'mutexinoutset' else kind_}: {d}[{v}])")
        if how in ("detach", "both") and ("mergeable" in extra or any(kind_ == "mutexinoutset" for kind_, _ in uses)):
            how = "pthread"  # (whether such a task still excludes others when its body has returned, the specification does not say)
        detached = how in ("detach", "both")
        if detached:
            w.line("omp_event_handle_t ev;")
        depends = " ".join(f"depend({kind_}: {d}[{v}])" for kind_, v in uses)
        body = lambda: self.write_body(w, number, uses, how, d)  # noqa: E731
        with w.construct(f"task firstprivate(r, {d}) {extra} {'detach(ev)' if detached else ''} {depends}"):
            if "untied" in extra:
                w.pragma("taskyield")
            w.line(f"{self.function(w, body)}({d}, r, {'ev' if detached else '(omp_event_handle_t)0'});")
            if "untied" in extra:
                w.pragma("taskyield")

    def function(self, w, write):
        """A function of the body: Clang breaks down over constructs inside an untied task that has variables."""
        lines, w.lines, indent, w.indent = w.lines, [], w.indent, 1
        write()
        body, w.lines, w.indent = "\n".join(w.lines), lines, indent
        name = w.global_name("u")
        w.globals.append(f"static void {name}(unsigned long* d, unsigned long r, omp_event_handle_t ev) {{\n  (void)d, (void)ev;\n{body}\n}}")
        return name

    def write_body(self, w, number, uses, how, d):
        self.write_sum(w, number, uses, "d")
        w.line(f"struct fuzz_owed* owed = fuzz_owe({int(how in ('child', 'pthread', 'both'))});")
        if how in ("detach", "both"):
            w.line("owed->detached = 1, owed->event = ev;")
        for kind_, v in uses:
            if kind_ != "in":
                w.line(f"fuzz_owe_write(owed, &d[{v}], {self.result(number, kind_, v)}, {int(kind_ == 'mutexinoutset')});")
        if how == "self":
            w.line("fuzz_pay(owed);")
        elif how == "child":
            w.line("if (!owed->task) {")
            w.line("  fuzz_pay(owed);")
            w.line("  return;")
            w.line("}")
            with w.construct("task firstprivate(owed)"):
                w.line("fuzz_pay(owed);")
        else:
            w.line("fuzz_pay_by_thread(owed);")

    def write_sum(self, w, number, uses, of):
        w.line(f"unsigned long sum = {number} + r;")
        for kind_, v in uses:
            if kind_ in READS:
                w.line(f"sum = sum * 31 + {of}[{v}];")
        w.line("(void)sum;")

    def result(self, number, kind_, v):
        return f"r + {number + 1}" if kind_ == "mutexinoutset" else f"sum + {v}"

"""Kinds about what surrounds OpenMP in a process: short threads with regions of their own, children of fork(), floating-point control,
target regions on the host; and loops with linear variables. Each is complete in itself."""

from programs.tree import Kind, kind
from programs.writer import credit


class Whole(Kind):
    """A construct without a body of other kinds."""

    holds = False


@kind
class ShortThreads(Whole):
    """Threads that each execute one region, and end: one after another, or several at once."""

    name, where, weight, cost = "short-thread", ("one",), 3, 100

    def make(self, rng, grow):
        return {"n": rng.randint(1, 6), "threads": rng.randint(1, 5), "at_once": rng.random() < 0.5}, []

    def write(self, node, w, here):
        p, t, i = node.p, w.name("t"), w.name("i")
        start = f"if (pthread_create(&{t}[{i}], 0, fuzz_short_thread, (void*)(uintptr_t){p['threads']})) abort();"
        join = f"pthread_join({t}[{i}], 0);"
        with w.block():
            w.line(f"pthread_t {t}[{p['n']}];")
            for text in [start, join] if p["at_once"] else [start + " " + join]:
                w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{ {text} }}")
        return credit(w, here, 1)


@kind
class Fork(Whole):
    """A child of fork(), which executes a region. (One that is made inside a region may not.)"""

    name, where, weight, cost = "fork", ("top",), 1, 100

    def make(self, rng, grow):
        return {"threads": rng.randint(1, 5), "before": rng.random() < 0.5}, []

    def write(self, node, w, here):
        with w.block():
            if node.p["before"]:
                w.line(f"fuzz_short_thread((void*)(uintptr_t){node.p['threads']});")
            w.line(f"CHECK_EQ(fuzz_in_child({node.p['threads']}), 0);")
        return credit(w, here, 1)


@kind
class Rounding(Whole):
    """Floating-point control that is set before a region: its members have it, and tasks do."""

    name, where, weight, cost = "rounding", ("top",), 1, 60

    def make(self, rng, grow):
        return {"mode": rng.randint(0, 3), "tasks": rng.randint(0, 9)}, []

    def write(self, node, w, here):
        p, old, i = node.p, w.name("v"), w.name("i")
        with w.block():
            w.line(f"unsigned {old} = fuzz_rounding();")
            w.line(f"fuzz_set_rounding({p['mode']});")
            with w.construct("parallel"):
                w.line(f"CHECK_EQ(fuzz_rounding(), {p['mode']} * fuzz_has_rounding);")
                w.pragma("single")
                w.line(f"for (int {i} = 0; {i} < {p['tasks']}; {i}++)")
                w.pragma("task")
                w.line(f"CHECK_EQ(fuzz_rounding(), {p['mode']} * fuzz_has_rounding);")
            w.line(f"CHECK_EQ(fuzz_rounding(), {p['mode']} * fuzz_has_rounding);")
            w.line(f"fuzz_set_rounding({old});")
        return credit(w, here, 1)


@kind
class Target(Whole):
    """A target region, which the host executes: with mapped and firstprivate variables, at once or as a task."""

    name, where, weight, cost = "target", ("one",), 3, 20

    def make(self, rng, grow):
        return {"n": grow.count(1, 9), "nowait": rng.random() < 0.5, "region": rng.random() < 0.4, "size": rng.choice([1, 7, 300])}, []

    def write(self, node, w, here):
        p, x, y, i = node.p, w.name("x"), w.name("q"), w.name("i")
        with w.block():
            w.line(f"long {x} = 1, {y}[{p['size']}];")
            w.line(f"for (int i = 0; i < {p['size']}; i++) {y}[i] = i + 3;")
            w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{")
            directive = f"target map(tofrom: {x}) firstprivate({y})"
            # Compiled by Clang 19 -O2, programs with `nowait` here crash, on libomp too.
            w.pragmas(directive, directive + (" nowait" if p["nowait"] else ""))
            with w.block():
                if p["region"]:
                    w.pragma("parallel num_threads(2)")
                    w.open()
                    w.pragma("masked")
                w.pragma("atomic")
                w.line(f"{x} += {y}[{p['size'] - 1}];")
                if p["region"]:
                    w.close()
                w.line(f"{y}[{p['size'] - 1}] = -1;")
            w.line("}")
            w.pragma("taskwait")
            w.line(f"CHECK_EQ({x}, {1 + p['n'] * (p['size'] + 2)});")
            w.line(f"CHECK_EQ({y}[{p['size'] - 1}], {p['size'] + 2});")
        return credit(w, here, 1)


@kind
class Linear(Whole):
    """A loop in vectors whose linear variable follows the iterations, and has its value behind them. It has a function of its own: inside of
    some constructs GCC 12 crashes on it."""

    name, where, weight, cost = "linear", ("one",), 3, 40

    def make(self, rng, grow):
        return {"n": rng.randint(1, 200), "step": rng.choice([1, 2, -3]), "schedule": rng.choice(["", "schedule(static)", "schedule(static, 4)"]),
                "directive": rng.choice(["parallel for simd", "simd"])}, []

    def write(self, node, w, here):
        p, x, i, a = node.p, w.name("x"), w.name("i"), w.name("m")
        w.in_a_function(lambda: self.write_loop(p, w, x, i, a))
        return credit(w, here, 1)

    @staticmethod
    def write_loop(p, w, x, i, a):
        shared = p["directive"] != "simd"
        w.line(f"int {x} = 5, {a}[{p['n']}];")
        w.pragma(f"{p['directive']} linear({x}: {p['step']}) {p['schedule'] if shared else ''} {'num_threads(3)' if shared else ''}")
        w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{ {a}[{i}] = {x}; {x} += {p['step']}; }}")
        w.line(f"CHECK_EQ({x}, {5 + p['n'] * p['step']});")
        w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++) CHECK_EQ({a}[{i}], 5 + {i} * ({p['step']}));")


@kind
class CancelledObjects(Whole):
    """C++ objects that tasks of a cancelled taskgroup have copies of: each copy is destroyed, whether its task ran or not. (GCC's code
    destroys a task's copies itself, at the end of its body.)"""

    name, where, weight, cost, languages = "cancelled-object", ("one",), 4, 60, ("c++",)

    def make(self, rng, grow):
        return {"n": grow.count(1, 20), "stop": rng.randint(0, 10), "size": rng.choice([1, 8, 100])}, []

    def write(self, node, w, here):
        p, o, i, live = node.p, w.name("o"), w.name("i"), w.name("live")
        with w.block():
            w.line(f"long {live}_ = 0, *{live} = &{live}_;")
            with w.block():
                w.line(f"Object<{p['size']}> {o}({live}, 41);")
                with w.construct("taskgroup"):
                    w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{")
                    with w.construct(f"task firstprivate({o})"):
                        w.line(f"CHECK({o}.good(41));")
                        w.line(f"if ({i} == {p['stop']}) {{")
                        w.pragma("cancel taskgroup")
                        w.line("}")
                    w.line("}")
            w.line("#ifdef __clang__")
            w.line(f"CHECK_EQ({live}_, 0);")
            w.line("#endif")
        return credit(w, here, 1)

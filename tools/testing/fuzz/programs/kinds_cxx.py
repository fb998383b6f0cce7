"""Kinds that only C++ has: objects with constructors in data-sharing clauses, reductions and iterators."""

from programs.tree import Kind, kind
from programs.writer import credit


class CxxKind(Kind):
    languages, holds = ("c++",), False


@kind
class Objects(CxxKind):
    """Objects that know their own address and count how many there are: copied into tasks, regions and loops, and destroyed."""

    name, where, weight, cost = "object", ("one",), 12, 60
    forms = ("task", "parallel", "for", "taskloop", "lastprivate", "single")

    def make(self, rng, grow):
        return {"n": grow.count(1, 20), "form": rng.choice(self.forms), "untied": rng.random() < 0.2, "size": rng.choice([1, 8, 100])}, []

    def write(self, node, w, here):
        p, o, i, live = node.p, w.name("o"), w.name("i"), w.name("live")
        n, form = p["n"], p["form"] or "task"
        threads = "num_threads(2)" if here.regions else ""
        w.open()
        w.line(f"long {live}_ = 0, *{live} = &{live}_, runs_ = 0, *runs = &runs_;")
        w.open()
        w.line(f"Object<{p['size']}> {o}({live}, 41);")
        check = [f"CHECK({o}.good(41));"]
        def body(times):
            with w.block():
                for text in check:
                    w.line(text)
                w.pragma("atomic")
                w.line("*runs += 1;")
            return times
        expected = str(n)
        if form == "task":
            w.line(f"for (int {i} = 0; {i} < {n}; {i}++) {{")
            w.pragma(f"task firstprivate({o}) {'untied' if p['untied'] else ''}")
            body(n)
            w.line("}")
            w.pragma("taskwait")
        elif form == "parallel":
            w.pragma(f"parallel firstprivate({o}) {threads}")
            body(1)
            expected = ""
        elif form == "for":
            w.pragma(f"parallel for firstprivate({o}) schedule(dynamic) {threads}")
            w.line(f"for (int {i} = 0; {i} < {n}; {i}++)")
            body(n)
        elif form == "taskloop":
            w.pragma(f"taskloop firstprivate({o}) {'untied' if p['untied'] else ''}")
            w.line(f"for (int {i} = 0; {i} < {n}; {i}++)")
            body(n)
        elif form == "lastprivate":
            w.pragma(f"parallel for lastprivate({o}) {threads}")
            w.line(f"for (int {i} = 0; {i} < {n}; {i}++)")
            check = [f"{o}.value = {i};"]
            body(n)
            w.line(f"CHECK({o}.good({n - 1}));")
        else:
            with w.construct(f"parallel firstprivate({o}) {threads}"):
                w.line(f"{o}.value = omp_get_thread_num() + 50;")
                w.pragma(f"single copyprivate({o})")
                w.line(f"{o}.value = 9;")
                check = [f"CHECK({o}.good(9));"]
                body(1)
            expected = ""
        w.close()
        w.line(f"CHECK_EQ({live}_, 0);")
        w.line(f"CHECK_EQ(runs_, {expected});" if expected else "CHECK(runs_ >= 1);")
        w.close()
        return credit(w, here, 1)


@kind
class ObjectReduction(CxxKind):
    """A user-defined reduction of objects: of a region, a loop, sections of tasks."""

    name, where, weight, cost = "object reduction", ("one",), 6, 60
    forms = ("parallel for", "taskloop", "task", "for task")

    def make(self, rng, grow):
        return {"n": grow.count(1, 40), "form": rng.choice(self.forms)}, []

    def write(self, node, w, here):
        n, form, x, i = node.p["n"], node.p["form"] or "parallel for", w.name("x"), w.name("i")
        threads = "num_threads(2)" if here.regions else ""
        with w.block():
            w.line(f"Sum {x}(100);")
            if form in ("parallel for", "for task"):
                w.pragma(f"parallel for reduction({'task, ' if form == 'for task' else ''}merge: {x}) {threads}")
                with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                    if form == "for task":
                        w.pragma(f"task in_reduction(merge: {x})")
                    w.line(f"{x}.add({i});")
            elif form == "taskloop":
                w.pragma(f"taskloop reduction(merge: {x})")
                w.line(f"for (int {i} = 0; {i} < {n}; {i}++) {x}.add({i});")
            else:
                w.pragma(f"taskgroup task_reduction(merge: {x})")
                with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                    w.pragma(f"task in_reduction(merge: {x})")
                    w.line(f"{x}.add({i});")
            w.line(f"CHECK({x}.is({100 + n * (n - 1) // 2}, {n}));")
        return credit(w, here, 1)


@kind
class Iterators(CxxKind):
    """Loops over random-access iterators."""

    name, where, weight, cost = "iterator", ("one",), 4, 60

    def make(self, rng, grow):
        return {"n": grow.count(1, 60), "schedule": rng.choice(["static", "dynamic", "guided,2", "runtime", "auto"]),
                "taskloop": rng.random() < 0.3}, []

    def write(self, node, w, here):
        n, v, it = node.p["n"], w.name("v"), w.name("it")
        threads = "num_threads(2)" if here.regions else ""
        with w.block():
            w.line(f"std::vector<int> {v}_({n}, 4), &{v} = {v}_;")
            w.line(f"std::vector<int>::iterator begin = {v}_.begin(), end = {v}_.end();")
            schedule = f"schedule({node.p['schedule']})" if node.p["schedule"] else ""
            w.pragma("taskloop" if node.p["taskloop"] else f"parallel for {schedule} {threads}")
            w.line(f"for (std::vector<int>::iterator {it} = begin; {it} < end; {it} += 1) *{it} += 3;")
            w.line(f"for (int i = 0; i < {n}; i++) CHECK_EQ({v}[i], 7);")
        return credit(w, here, 1)


@kind
class Exceptions(CxxKind):
    """Exceptions that are thrown and caught inside one task, one iteration, one region."""

    name, where, weight, cost = "exception", ("one",), 3, 10

    def make(self, rng, grow):
        return {"n": grow.count(1, 10), "form": rng.choice(["task", "parallel for"])}, []

    def write(self, node, w, here):
        n, i = node.p["n"], w.name("i")
        with w.block():
            w.line("long caught_ = 0, *caught = &caught_;")
            w.pragma("taskgroup" if node.p["form"] != "parallel for" else f"parallel for {'num_threads(2)' if here.regions else ''}")
            with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                if node.p["form"] != "parallel for":
                    w.pragma("task")
                w.line(f"try {{ throw {i}; }} catch (int what) {{")
                w.line(f"CHECK_EQ(what, {i});")
                w.pragma("atomic")
                w.line("*caught += 1;")
                w.line("}")
            w.line(f"CHECK_EQ(caught_, {n});")
        return credit(w, here, 1)

"""Kinds of tasks in Fortran, dependences, cancellation and threadprivate variables. What Flang 19 does not compile stands where only gfortran
sees it."""

from programs.fortran_writer import FortranAccount
from programs.kinds_fortran import COMBINE, REDUCTIONS, InProcedure, make_reduction, reduction_result, reduction_step
from programs.tree import Unfit, Value, kind
from programs.writer import write_body

CLAUSES = ["if(mod({i}, 2) == 0)", "if(.false.)", "final(mod({i}, 3) == 1)"]
GFORTRAN = ["untied", "mergeable", "priority(mod({i}, 5))"]


def make_clauses(rng):
    return [each for each in [rng.choice(CLAUSES), *GFORTRAN] if rng.random() < 0.2]


def open_task(w, clauses, i, extra=""):
    """The directive of a task in a loop over i, which gfortran's task gets a copy of; returns whether it may be final."""
    both = " ".join(each.format(i=i) for each in clauses if each in CLAUSES)
    more = " ".join(each.format(i=i) for each in clauses if each in GFORTRAN)
    w.pragmas(f"task default(shared) {both} {extra}", f"task default(shared) firstprivate({i}) {both} {more} {extra}")
    return any(each.startswith("final") for each in clauses)


@kind
class Tasks(InProcedure):
    """Tasks that their creator waits for: by taskwait, or a taskgroup."""

    name, weight, cost, amount = "fortran task", 9, 2, 3

    def make(self, rng, grow):
        n = grow.count(2, 16)
        return {"n": n, "clauses": make_clauses(rng), "group": rng.random() < 0.3, "payload": rng.random() < 0.3,
                "size": rng.choice([1, 7, 200])}, grow("one", times=n)

    def write_inside(self, node, w, here):
        p, i = node.p, w.declare("integer", "i")
        account = FortranAccount(w, here)
        if p["payload"]:
            q = w.declare("integer", "q", f"({p['size']})")
        if p["group"]:
            w.pragma("taskgroup")
        with w.block(f"do {i} = 1, {p['n']}", "end do"):
            if p["payload"]:
                w.line(f"{q} = {i}")
                w.lines.append("#ifdef __flang__")
                final = open_task(w, p["clauses"], i)
                w.lines.append("#else")
                open_task(w, p["clauses"], i, f"firstprivate({q})")
                w.check(f"sum({q})", f"{i} * {p['size']}")
                w.lines.append("#endif")
            else:
                final = open_task(w, p["clauses"], i)
            inside = here.but(account=account, final=here.final or final, group=account if p["group"] else here.group)
            mine, rest = account.take(write_body(node.body, w, inside), p["n"])
            w.line(f"call add({account.main}, 1)")
            mine.add(Value({account.main: (p["n"], 0)}))
            w.end("task")
        if p["group"]:
            w.end("taskgroup")
        else:
            w.pragma("taskwait")
        account.check(mine)
        return rest


@kind
class Spawn(InProcedure):
    """Tasks that nobody waits for but a taskgroup or the end of the region."""

    name, weight, cost = "fortran spawn", 6, 2

    def make(self, rng, grow):
        if not grow.group:
            return None
        n = grow.count(1, 8)
        return {"n": n, "clauses": make_clauses(rng)}, grow("one", times=n)

    def write_inside(self, node, w, here):
        if here.group is None:
            raise Unfit("spawn outside of a group")
        p, i = node.p, w.declare("integer", "i")
        with w.block(f"do {i} = 1, {p['n']}", "end do"):
            final = open_task(w, p["clauses"], i)
            w.line(f"call add({here.group.main}, 1)")
            total = write_body(node.body, w, here.but(account=here.group, final=here.final or final))
            w.end("task")
        return Value({here.group.main: (p["n"], 0)}).add(total, p["n"])


@kind
class TaskGroup(InProcedure):
    """A taskgroup around anything that one task does."""

    name, weight, amount = "fortran taskgroup", 4, 2

    def make(self, rng, grow):
        return {}, grow("one", group=True, most=3)

    def write_inside(self, node, w, here):
        account = FortranAccount(w, here)
        w.pragma("taskgroup")
        mine, rest = account.take(write_body(node.body, w, here.but(account=account, group=account)))
        w.end("taskgroup")
        account.check(mine)
        return rest


@kind
class Recursion(InProcedure):
    """A recursive function of tasks."""

    name, weight, holds, cost = "fortran recursion", 4, False, 20

    def make(self, rng, grow):
        depth = rng.randint(1, 4)
        return {"depth": depth, "width": 2 if depth > 2 else rng.randint(2, 4), "clauses": make_clauses(rng), "wait": rng.choice(["taskwait", "taskgroup"])}, []

    def write_inside(self, node, w, here):
        p, name = node.p, w.global_name("f")
        account = FortranAccount(w, here)
        saved = w.lines, w.declarations
        w.lines, w.declarations = [], ["  integer, value :: depth", "  integer(8), target :: total", "  integer :: i"]
        w.line("call add(total, 1)")
        w.line("if (depth == 0) return")
        if p["wait"] == "taskgroup":
            w.pragma("taskgroup")
        with w.block(f"do i = 1, {p['width']}", "end do"):
            open_task(w, p["clauses"], "i")
            w.line(f"call {name}(depth - 1, total)")
            w.end("task")
        if p["wait"] == "taskgroup":
            w.end("taskgroup")
        else:
            w.pragma("taskwait")
        w.globals.append(w.whole_procedure(name, ["depth", "total"]))
        w.lines, w.declarations = saved
        w.line(f"call {name}({p['depth']}, {account.main})")
        account.check(Value({account.main: (sum(p["width"] ** level for level in range(p["depth"] + 1)), 0)}))


@kind
class Dependences(InProcedure):
    """A random graph of tasks on a few variables. The numbers that a task must find follow from the order of creation: they are computed when
    the program is written."""

    name, weight, holds, cost = "fortran depend", 7, False, 30
    fixed = ("vars",)

    def make(self, rng, grow):
        variables = rng.randint(1, 4)
        tasks = []
        for _ in range(rng.randint(2, 12)):
            used = rng.sample(range(variables), rng.randint(1, min(3, variables)))
            tasks.append([[(rng.choice(["in", "in", "out", "inout", "inout"]), v) for v in used],
                          rng.choice(["", "", "", "untied", "if(.false.)", "priority(3)", "mutexinoutset"])])
        return {"vars": variables, "tasks": tasks, "end": rng.choice(["taskwait", "taskgroup"])}, []

    def write_inside(self, node, w, here):
        p = node.p
        names = [w.declare("integer(8), target", "d") for _ in range(p["vars"])]
        values = list(range(1, p["vars"] + 1))
        for name, value in zip(names, values):
            w.line(f"{name} = {value}")
        if p["end"] == "taskgroup":
            w.pragma("taskgroup")
        for number, (uses, extra) in enumerate(p["tasks"]):
            depends = " ".join(f"depend({how}: {names[v]})" for how, v in uses)
            if extra == "mutexinoutset":  # the first variable is only added to
                kept = " ".join(f"depend({how}: {names[v]})" for how, v in uses[1:])
                changed = names[uses[0][1]]
                w.pragmas(f"task default(shared) depend(inout: {changed}) {kept}", f"task default(shared) depend(mutexinoutset: {changed}) {kept}")
            else:
                clause = extra if extra == "if(.false.)" else ""
                w.pragmas(f"task default(shared) {clause} {depends}", f"task default(shared) {extra} {depends}")
            for position, (how, v) in enumerate(uses):
                if extra == "mutexinoutset" and position == 0:
                    w.line(f"{names[v]} = {names[v]} + {number + 1}")
                    values[v] += number + 1
                    continue
                w.check(names[v], f"{values[v]}_8")
                if how != "in":
                    values[v] = (values[v] * 3 + number) % 1000003
                    w.line(f"{names[v]} = mod({names[v]} * 3 + {number}, 1000003_8)")
            w.end("task")
        if p["end"] == "taskgroup":
            w.end("taskgroup")
        else:
            w.pragma("taskwait")
        for name, value in zip(names, values):
            w.check(name, f"{value}_8")


@kind
class TaskLoop(InProcedure):
    """A taskloop with its clauses; Flang 19 has none."""

    name, weight, holds, cost = "fortran taskloop", 4, False, 2
    fixed = ("op", "type")

    def make(self, rng, grow):
        return {"n": grow.count(3, 60), "grain": rng.choice(["", "grainsize({})", "num_tasks({})"]), "g": rng.randint(1, 9),
                "reduction": rng.random() < 0.3, "last": rng.random() < 0.3, "step": rng.choice([1, 2, -1]), "clauses": make_clauses(rng),
                **make_reduction(rng)}, []

    def write_inside(self, node, w, here):
        p, i, x, l = node.p, w.declare("integer", "i"), w.declare(node.p["type"] or "integer", "x"), w.declare("integer", "l")
        account, step = FortranAccount(w, here), p["step"] or 1
        texts = [each for each in p["clauses"] if each in ("untied", "mergeable", "if(.false.)")]
        if p["grain"]:
            texts.append(p["grain"].format(p["g"]))
        k = f"(({i} - 10) / ({step}))"
        lines = [f"do {i} = 10, {10 + step * (p['n'] - 1)}, {step}", f"call add({account.main}, mod({k}, 9) + 1)"]
        if p["reduction"]:
            w.line(f"{x} = {REDUCTIONS[p['op']][0]}")
            texts.append(f"reduction({p['op']}: {x})")
            lines.append(reduction_step(p["op"], x, k))
        if p["last"]:
            texts.append(f"lastprivate({l})")
            lines.append(f"{l} = {k} * 3")
        w.gfortran(f"!$omp taskloop default(shared) {' '.join(texts)}", *lines, "end do", "!$omp end taskloop")
        w.lines.append("#ifndef __flang__")
        account.check(Value({account.main: (sum(v % 9 + 1 for v in range(p["n"])), 0)}))
        if p["reduction"]:
            w.check(x, reduction_result(p["op"], p["n"]))
        if p["last"]:
            w.check(l, f"{(p['n'] - 1) * 3}")
        w.lines.append("#endif")


@kind
class TaskReduction(InProcedure):
    """taskgroup task_reduction with tasks that have in_reduction, of a variable or an array; Flang 19 has none."""

    name, weight, holds, cost = "fortran task_reduction", 3, False, 2
    fixed = ("op", "type")

    def make(self, rng, grow):
        return {"n": grow.count(2, 20), "array": rng.random() < 0.3, "loop": rng.random() < 0.3, **make_reduction(rng)}, []

    def write_inside(self, node, w, here):
        p, i, op = node.p, w.declare("integer", "i"), node.p["op"]
        length = 5 if p["array"] else 1
        x = w.declare(p["type"], "x", "(0:4)" if p["array"] else "")
        target = f"{x}(mod({i}, 5))" if p["array"] else x
        w.line(f"{x} = {REDUCTIONS[op][0]}")
        step = reduction_step(op, target, i)
        if p["loop"]:
            inside = [f"!$omp taskloop in_reduction({op}: {x}) num_tasks(3)", f"do {i} = 0, {p['n'] - 1}", step, "end do", "!$omp end taskloop"]
        else:
            inside = [f"do {i} = 0, {p['n'] - 1}", f"!$omp task in_reduction({op}: {x}) firstprivate({i})", step, "!$omp end task", "end do"]
        w.gfortran(f"!$omp taskgroup task_reduction({op}: {x})", *inside, "!$omp end taskgroup")
        results = [REDUCTIONS[op][0]] * length
        for k in range(p["n"]):
            results[k % length] = COMBINE[op](results[k % length], REDUCTIONS[op][1](k))
        w.lines.append("#ifndef __flang__")
        for j, value in enumerate(results):
            w.check(f"{x}({j})" if p["array"] else x, f"{value}_8")
        w.lines.append("#endif")


@kind
class Detach(InProcedure):
    """Detached tasks; the event is fulfilled by the creator, the task itself, a sibling or a child. Flang 19 has none."""

    name, weight, holds, cost = "fortran detach", 3, False, 4
    forms = ("creator", "self", "sibling", "child")

    def make(self, rng, grow):
        return {"n": grow.count(1, 6), "form": rng.choice(self.forms), "group": rng.random() < 0.4}, []

    def write_inside(self, node, w, here):
        p, i, event = node.p, w.declare("integer", "i"), w.declare("integer(omp_event_handle_kind)", "e")
        form = "self" if here.final else p["form"] or "self"  # an included task that waits for its creator waits for ever
        account = FortranAccount(w, here)
        fulfil = f"call omp_fulfill_event({event})"
        lines = [f"do {i} = 1, {p['n']}", f"!$omp task default(shared) detach({event})", f"call add({account.main}, 1)"]
        if form == "self":
            lines.append(fulfil)
        elif form == "child":
            lines += [f"!$omp task firstprivate({event})", fulfil, "!$omp end task"]
        lines.append("!$omp end task")
        if form == "creator":
            lines.append(fulfil)
        elif form == "sibling":
            lines += [f"!$omp task default(shared) firstprivate({event})", fulfil, "!$omp end task"]
        lines.append("end do")
        w.gfortran(*(["!$omp taskgroup", *lines, "!$omp end taskgroup"] if p["group"] else [*lines, "!$omp taskwait"]))
        w.lines.append("#ifndef __flang__")
        account.check(Value({account.main: (p["n"], 0)}))
        w.lines.append("#endif")


@kind
class Cancel(InProcedure):
    """Cancellation of a loop, or a taskgroup: the canceller's own part is done, and none twice. Flang 19 has none."""

    name, weight, holds, cost = "fortran cancel", 3, False, 60

    def make(self, rng, grow):
        n = grow.count(2, 30)
        return {"n": n, "at": rng.randint(1, n), "what": rng.choice(["do", "taskgroup"]), "if": rng.choice(["", "", "if(.true.)", "if(.false.)"]),
                "schedule": rng.choice(["", "static,1", "dynamic", "guided"])}, []

    def write_inside(self, node, w, here):
        p, i = node.p, w.declare("integer", "i")
        n, at, what = p["n"], min(p["at"], p["n"]), p["what"] or "do"
        seen = w.declare("integer", "seen", f"({n})")
        w.line(f"{seen} = 0")
        body = [f"{seen}({i}) = {seen}({i}) + 1", f"if ({i} == {at}) then", f"!$omp cancel {what} {p['if']}", "end if", f"!$omp cancellation point {what}"]
        if what == "do":
            schedule = f"schedule({p['schedule']})" if p["schedule"] else ""
            w.gfortran(f"!$omp parallel {'num_threads(2)' if here.regions else ''}", f"!$omp do {schedule}", f"do {i} = 1, {n}", *body, "end do",
                       "!$omp end do", "!$omp end parallel")
        else:
            w.gfortran("!$omp taskgroup", f"do {i} = 1, {n}", f"!$omp task default(shared) firstprivate({i})", *body, "!$omp end task", "end do",
                       "!$omp end taskgroup")
        w.lines.append("#ifndef __flang__")
        w.check(f"{seen}({at})", "1")
        w.check(f"merge(1, 0, any({seen} > 1))", "0")
        off = "" if p["if"] == "if(.false.)" else " .and. .not. omp_get_cancellation()"
        w.check(f"merge(1, 0, any({seen} /= 1){off})", "0")
        w.lines.append("#endif")


@kind
class ThreadPrivate(InProcedure):
    """A threadprivate variable or common block: copyin, each thread its own, copyprivate."""

    name, weight, holds, cost = "fortran threadprivate", 3, False, 60

    def make(self, rng, grow):
        if grow.regions >= 2:
            return None
        return {"size": rng.choice([1, 3, 50]), "common": rng.random() < 0.5, "copyprivate": rng.random() < 0.4, "threads": rng.randint(1, 4)}, []

    def write_inside(self, node, w, here):
        p, size = node.p, node.p["size"]
        name = w.global_name("t")
        if p["common"]:
            block = f"/{name}_c/"
            w.declarations += [f"  integer :: {name}({size})", f"  common {block} {name}", f"  !$omp threadprivate({block})"]
        else:
            block = name
            w.declarations += [f"  integer, save :: {name}({size})", f"  !$omp threadprivate({name})"]
        w.line(f"{name} = 1000")
        w.pragma(f"parallel copyin({block}) num_threads({p['threads']})")
        w.check(f"{name}({size})", "1000")
        w.line(f"{name}({size}) = omp_get_thread_num()")
        w.pragma("barrier")
        w.check(f"{name}({size})", "omp_get_thread_num()")
        if p["copyprivate"]:
            w.pragma("single")
            w.line(f"{name} = 77")
            w.end(f"single copyprivate({block})")
            w.check(f"{name}({size})", "77")
        w.end("parallel")

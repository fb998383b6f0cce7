"""Kinds of constructs in Fortran: regions, worksharing, and what one thread does for itself. Tasks are in kinds_fortran_tasks.py."""

from programs.fortran_writer import FortranAccount, credit
from programs.tree import Kind, Node, Unfit, Value, kind
from programs.writer import Team, write_body

# type -> its bits for constants
TYPES = ["integer", "integer(8)", "real", "real(8)"]
INTEGERS = ["integer", "integer(8)"]
# operator: (first value, what contribution k is, how it goes in, types)
REDUCTIONS = {
    "+": (5, lambda k: k % 7 + 1, "{x} = {x} + (mod({k}, 7) + 1)", TYPES),
    "*": (1, lambda k: 3 if k % 5 == 0 else 1, "{x} = {x} * merge(3, 1, mod({k}, 5) == 0)", ["integer(8)"]),
    "iand": (-1, lambda k: ~(1 << k % 5), "{x} = iand({x}, not(shiftl(int(1, kind({x})), mod({k}, 5))))", INTEGERS),
    "ior": (0, lambda k: 1 << k % 6, "{x} = ior({x}, shiftl(int(1, kind({x})), mod({k}, 6)))", INTEGERS),
    "ieor": (9, lambda k: k % 31, "{x} = ieor({x}, int(mod({k}, 31), kind({x})))", INTEGERS),
    "min": (100, lambda k: 90 - k % 41, "if (90 - mod({k}, 41) < {x}) {x} = 90 - mod({k}, 41)", TYPES),
    "max": (-1, lambda k: k % 41, "if (mod({k}, 41) > {x}) {x} = mod({k}, 41)", TYPES),
}
COMBINE = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "iand": lambda a, b: a & b, "ior": lambda a, b: a | b,
           "ieor": lambda a, b: a ^ b, "min": min, "max": max}
SCHEDULES = ["", "static", "static,{c}", "dynamic", "dynamic,{c}", "guided", "guided,{c}", "auto", "runtime", "monotonic:dynamic,{c}",
             "nonmonotonic:dynamic,{c}", "nonmonotonic:guided", "monotonic:static,{c}"]
# type, first value, step: near the ends of the types, up and down
SPACES = [("integer", "0", 1), ("integer", "-7", 3), ("integer", "40", -1), ("integer", "99", -4), ("integer", "2147480000", 2),
          ("integer", "-2147480000", -2), ("integer(8)", "-3000000000_8", 1), ("integer(8)", "9000000000000000000_8", 11),
          ("integer(8)", "5_8", -7)]


def make_reduction(rng):
    op = rng.choice(list(REDUCTIONS))
    return {"op": op, "type": rng.choice(REDUCTIONS[op][3])}


def reduction_step(op, x, k):
    return REDUCTIONS[op][2].format(x=x, k=k)


def reduction_result(op, n):
    result = REDUCTIONS[op][0]
    for k in range(n):
        result = COMBINE[op](result, REDUCTIONS[op][1](k))
    if not -2**63 <= result < 2**63:
        result = (result + 2**63) % 2**64 - 2**63
    return f"{result}_8"


class FortranKind(Kind):
    """Of which all kinds of this language are."""

    languages = ("fortran",)


class InProcedure(FortranKind):
    """A construct that one task executes: a procedure of its own, and afterwards a credit to the construct around."""

    where, amount = ("one",), 1

    def write(self, node, w, here):
        rest = w.procedure(here, lambda: self.write_inside(node, w, here)) or Value()
        return rest.add(credit(w, here, self.amount))

    def write_inside(self, node, w, here):
        """Writes it; returns what is left for the accounts around."""
        raise NotImplementedError


@kind
class Add(FortranKind):
    """An atomic addition to the account."""

    name, where, weight, holds = "fortran add", ("team", "one", "leaf"), 2, False

    def make(self, rng, grow):
        return {"w": rng.randint(1, 30), "form": rng.choice(["update", "call", "seq_cst", "capture"])}, []

    def write(self, node, w, here):
        target, amount, form = here.account.main, node.p["w"], node.p["form"]
        if form in ("call", "capture"):
            w.line(f"call {'add' if form == 'call' else 'add_and_look'}({target}, {amount})")
        else:
            w.pragma(f"atomic {'seq_cst' if form == 'seq_cst' else 'update'}")
            w.line(f"{target} = {target} + {amount}")
        return Value({target: (0, amount) if here.context == "team" else (amount, 0)})


@kind
class Repeat(FortranKind):
    """A plain loop around constructs; around those of a team, each is written as often."""

    name, where, weight = "fortran repeat", ("team", "one"), 2

    def make(self, rng, grow):
        n = rng.randint(2, 3)
        return {"n": n}, grow("same", times=n, most=2)

    def write(self, node, w, here):
        n = node.p["n"]
        if here.context == "team":
            total = Value()
            for _ in range(n):
                total.add(write_body(node.body, w, here))
            return total

        def inside():
            r = w.declare("integer", "r")
            with w.block(f"do {r} = 1, {n}", "end do"):
                total = Value().add(write_body(node.body, w, here), n)
            return total
        return w.procedure(here, inside)


@kind
class Guarded(InProcedure):
    """Atomic operations, critical sections and locks: a small region whose threads all change one variable."""

    name, weight, holds, cost = "fortran critical", 3, False, 60
    forms = ("critical", "named", "hint", "lock", "nest", "test", "max", "ior", "minus", "logical", "capture")

    def make(self, rng, grow):
        return {"n": grow.count(1, 12), "form": rng.choice(self.forms), "type": rng.choice(TYPES), "threads": rng.randint(1, 4)}, []

    def write_inside(self, node, w, here):
        form, n = node.p["form"] or "critical", node.p["n"]
        ctype = node.p["type"] or "integer"
        if form in ("ior",):
            ctype = "integer"
        x, i, team = w.declare(ctype, "x"), w.declare("integer", "i"), w.declare("integer", "n")
        w.line(f"{x} = 0")
        w.line(f"{team} = 0")
        if form in ("lock", "test"):
            lock = w.declare("integer(omp_lock_kind)", "o")
            w.line(f"call omp_init_lock({lock})")
        elif form == "nest":
            lock = w.declare("integer(omp_nest_lock_kind)", "o")
            w.line(f"call omp_init_nest_lock({lock})")
        if form == "logical":
            flag = w.declare("logical", "g")
            w.line(f"{flag} = .true.")
        old = w.declare(ctype, "v")
        w.pragma(f"parallel num_threads({node.p['threads']}) private({i}, {old}) reduction(+: {team})")
        w.line(f"{team} = {team} + 1")
        with w.block(f"do {i} = 1, {n}", "end do"):
            if form in ("critical", "named", "hint"):
                title = "" if form == "critical" else f"({w.global_name('k')})"
                w.pragma(f"critical {title} {'hint(omp_sync_hint_contended)' if form == 'hint' else ''}")
                w.line(f"{x} = {x} + 1")
                w.end(f"critical {title}")
            elif form in ("lock", "test", "nest"):
                if form == "test":
                    w.line(f"do while (.not. omp_test_lock({lock}))")
                    w.line("end do")
                else:
                    w.line(f"call omp_set_{'nest_' if form == 'nest' else ''}lock({lock})")
                if form == "nest":
                    w.line(f"call omp_set_nest_lock({lock})")
                    w.line(f"call omp_unset_nest_lock({lock})")
                w.line(f"{x} = {x} + 1")
                w.line(f"call omp_unset_{'nest_' if form == 'nest' else ''}lock({lock})")
            elif form == "capture":
                w.pragma("atomic capture")
                w.line(f"{old} = {x}")
                w.line(f"{x} = {x} + {self.constant(ctype, 1)}")
                w.end("atomic")
            else:
                w.pragma("atomic")
                w.line({"max": f"{x} = max({x}, {x} * 0 + {n})", "ior": f"{x} = ior({x}, 6)", "minus": f"{x} = {x} - 1",
                        "logical": f"{flag if form == 'logical' else x} = {flag if form == 'logical' else x} .and. .true."}[form]
                       if form != "max" else f"{x} = max({x}, {self.constant(ctype, n)})")
        w.end("parallel")
        expected = {"max": f"{n}", "ior": "6", "minus": f"-{n} * {team}", "logical": "0"}.get(form, f"{n} * {team}")
        w.check(x, expected)
        if form == "logical":
            w.check(f"merge(1, 0, {flag})", "1")
        if form in ("lock", "test", "nest"):
            w.line(f"call omp_destroy_{'nest_' if form == 'nest' else ''}lock({lock})")
        return None

    @staticmethod
    def constant(ctype, n):
        return {"integer": f"{n}", "integer(8)": f"{n}_8", "real": f"{n}.0", "real(8)": f"{n}.0d0"}[ctype]


@kind
class Parallel(InProcedure):
    """A parallel region."""

    name, weight, cost, amount = "fortran parallel", 9, 60, 4
    smallest = {"threads": 0}
    fixed = ("op", "type")

    def make(self, rng, grow):
        if grow.regions >= 3:
            return None
        return {"threads": rng.choice([0, 0, 0, 1, 2, 3, 4, 7]) if grow.regions == 0 else rng.randint(1, 3),
                "if": rng.choice(["", "", "", "if(.false.)", "if(.true.)"]), "bind": rng.choice(["", "", "", "close", "spread"]),
                "reduction": rng.random() < 0.3, "array": rng.random() < 0.4, "payload": rng.random() < 0.3, "size": rng.choice([1, 30, 500]),
                }, grow("team", regions=1, group=True, most=5)

    def write_inside(self, node, w, here):
        p = node.p
        before = w.hole()
        account = FortranAccount(w, here.but(context="one"))
        n, level, threads = w.declare("integer", "n"), w.declare("integer", "lv"), w.private("integer", "th")
        w.line(f"{level} = omp_get_level()")
        wanted = p["threads"] or (2 if here.regions else 0)
        texts = [p["if"], f"num_threads({wanted})" if wanted else "", f"proc_bind({p['bind']})" if p["bind"] else ""]
        if p["reduction"]:
            x = w.declare("integer", "x", "(4)" if p["array"] else "")
            w.line(f"{x} = 2")
            texts.append(f"reduction(+: {x})")
        if p["payload"]:
            q = w.declare("integer", "q", f"({p['size']})")
            w.line(f"{q} = 7")
            texts.append(f"firstprivate({q})")
        pragma = w.hole()
        w.line(f"{threads} = omp_get_num_threads()")
        w.pragma("atomic write")
        w.line(f"{n} = {threads}")
        w.check("omp_get_level()", f"{level} + 1")
        w.check(f"omp_get_ancestor_thread_num({level} + 1)", "omp_get_thread_num()")
        w.check(f"omp_get_team_size({level} + 1)", threads)
        if wanted:
            w.check(f"merge(1, 0, {threads} <= {wanted})", "1")
        if p["if"] == "if(.false.)":
            w.check(threads, "1")
        if p["reduction"]:
            w.line(f"{x} = {x} + mod(omp_get_thread_num(), 3) + 1")
        if p["payload"]:
            w.check(f"{q}({p['size']})", "7")
            w.line(f"{q}({p['size']}) = omp_get_thread_num()")
        after = []
        team = Team(before, after, n)
        inside = here.but(context="team", account=account, group=account, team=team, regions=here.regions + 1)
        mine, rest = account.take(write_body(node.body, w, inside))
        w.end("parallel")
        pragma.line(f"!$omp parallel {' '.join(' '.join(texts).split())} private({', '.join(w.privates)})")
        w.lines += after
        account.check(mine, threads=n)
        if p["reduction"]:
            i, want = w.declare("integer", "i"), w.declare("integer", "w")
            w.line(f"{want} = 2")
            with w.block(f"do {i} = 0, {n} - 1", "end do"):
                w.line(f"{want} = {want} + mod({i}, 3) + 1")
            w.check(f"sum({x})" if p["array"] else x, f"4 * {want}" if p["array"] else want)
        return rest


class LoopBase(FortranKind):
    """What `do` and `parallel do` share."""

    fixed = ("op", "type", "space")
    smallest = {"space": 0, "threads": 0}
    combined = False

    def make(self, rng, grow):
        ordered = rng.random() < 0.2
        n = grow.count(1, 60)
        return {"n": n, "schedule": rng.choice([s for s in SCHEDULES if not (ordered and s.startswith("nonmono"))]), "c": rng.randint(1, 9),
                "space": rng.randrange(len(SPACES)), "ordered": ordered, "nowait": not self.combined and rng.random() < 0.3,
                "reduction": rng.random() < 0.4, "last": rng.random() < 0.3, "first": rng.random() < 0.2,
                "collapse": rng.choice([1, 1, 1, 2, 3]), "threads": rng.choice([0, 0, 1, 2, 3]), **make_reduction(rng)}, \
            grow("one", times=n, regions=int(self.combined), group=True if self.combined else None, most=2)

    def write_loop(self, node, w, here, before, at_end):
        p = node.p
        nowait = p["nowait"] and not self.combined
        inner = [2, 3][:p["collapse"] - 1]
        n = p["n"] * (1 if not inner else inner[0] if len(inner) == 1 else 6)
        account = FortranAccount(w, here if not self.combined else here.but(context="one"))
        ctype, first, step = SPACES[p["space"]]
        i, k, seen = w.private(ctype, "i"), w.private("integer", "k"), w.declare("integer", "seen", f"(0:{n - 1})")
        js = [w.private("integer", "j") for _ in inner]
        before.line(f"{seen} = 0")
        texts = []
        if p["reduction"]:
            x = w.declare(p["type"], "x")
            before.line(f"{x} = {REDUCTIONS[p['op']][0]}")
            texts.append(f"reduction({p['op']}: {x})")
        last = p["last"] and not nowait
        if last:
            l = w.declare("integer", "l")
            before.line(f"{l} = -1")
            texts.append(f"lastprivate({l})")
        if p["first"]:
            f = w.declare("integer", "f")
            before.line(f"{f} = 12345")
            texts.append(f"firstprivate({f})")
        if p["ordered"]:
            o = w.declare("integer", "o")
            before.line(f"{o} = 0")
            texts.append("ordered")
        if p["schedule"]:
            texts.append(f"schedule({p['schedule'].format(c=p['c'])})")
        if inner:
            texts.append(f"collapse({len(inner) + 1})")
        if self.combined:
            if p["threads"] or here.regions:
                texts.append(f"num_threads({p['threads'] or 2})")
            texts.append(f"private({k})")
        directive = "parallel do" if self.combined else "do"
        w.pragma(f"{directive} {' '.join(texts)}")
        with w.block(f"do {i} = {first}, {first} {'+' if step > 0 else '-'} {abs(step) * (p['n'] - 1)}{'_8' if '8' in ctype else ''}, {step}", "end do"):
            for j, length in zip(js, inner):
                w.open(f"do {j} = 0, {length - 1}")
            number_of = f"int(({i} - ({first})) / ({step}))"
            for j, length in zip(js, inner):
                number_of = f"({number_of}) * {length} + {j}"
            w.line(f"{k} = {number_of}")
            w.line(f"{seen}({k}) = {seen}({k}) + 1")
            if p["first"]:
                w.check(f, "12345")
            if p["reduction"]:
                w.line(reduction_step(p["op"], x, k))
            if last:
                w.line(f"{l} = {k} * 3")
            if p["ordered"]:
                w.pragma("ordered")
                w.check(o, k)
                w.line(f"{o} = {o} + 1")
                w.end("ordered")
            inside = here.but(context="one", account=account, regions=here.regions + int(self.combined),
                              group=account if self.combined else here.group)
            mine, rest = account.take(write_body(node.body, w, inside), n)
            for _ in js:
                w.close("end do")
        w.end(f"{directive}{' nowait' if nowait else ''}")
        done = at_end if nowait else w.line
        account.check(mine, line=done)
        w.check(f"count({seen} /= 1)", "0", line=done)
        if last:
            w.check(l, f"{(n - 1) * 3}")
        if p["reduction"]:
            w.check(x, reduction_result(p["op"], n), line=done)
        return rest


@kind
class Loop(LoopBase):
    """`do`."""

    name, where, weight = "fortran do", ("team",), 10

    def write(self, node, w, here):
        return self.write_loop(node, w, here, here.team.before, here.team.after.append).add(credit(w, here, 2))


@kind
class ParallelLoop(LoopBase, InProcedure):
    """`parallel do`."""

    name, where, weight, cost, combined = "fortran parallel do", ("one",), 4, 60, True

    def write(self, node, w, here):
        return InProcedure.write(self, node, w, here)

    def write_inside(self, node, w, here):
        return self.write_loop(node, w, here, w.hole(), None)


@kind
class Doacross(FortranKind):
    """A loop whose iterations wait for earlier ones; Flang 19 has none."""

    name, where, weight, holds = "fortran doacross", ("team",), 8, False

    def make(self, rng, grow):
        return {"n": grow.count(2, 30), "distance": rng.randint(1, 3), "nowait": rng.random() < 0.3,
                "schedule": rng.choice(["", "static", "static,2", "dynamic", "dynamic,3", "guided", "runtime"])}, []

    def write(self, node, w, here):
        p, i, v = node.p, w.private("integer", "i"), w.declare("integer", "v", f"(0:{node.p['n']})")
        far = p["distance"]
        here.team.before.line(f"{v} = 0")
        schedule = f"schedule({p['schedule']})" if p["schedule"] else ""
        w.gfortran(f"!$omp do ordered(1) {schedule}", f"do {i} = 1, {p['n']}", f"!$omp ordered depend(sink: {i} - {far})",
                   f"{v}({i}) = {v}(max(0, {i} - {far})) + 1", "!$omp ordered depend(source)", "end do",
                   f"!$omp end do {'nowait' if p['nowait'] else ''}")
        done = here.team.after
        done.append("#ifndef __flang__")
        total = sum((i - 1) // far + 1 for i in range(1, p["n"] + 1))
        w.check(f"sum({v})", f"{total}", line=done.append)
        done.append("#endif")
        return credit(w, here, 1)


@kind
class Section(FortranKind):
    """One section of `sections`; stands nowhere else."""

    name, where, weight = "fortran section", ("section",), 0


@kind
class Sections(FortranKind):
    """`sections`."""

    name, where, weight = "fortran sections", ("team",), 4
    fixed = ("op", "type")

    def make(self, rng, grow):
        parts = rng.randint(1, 5)
        return {"nowait": rng.random() < 0.3, "reduction": rng.random() < 0.3, "last": rng.random() < 0.3, **make_reduction(rng)}, \
            [Node("fortran section", {}, grow("one", times=1, most=2)) for _ in range(parts)]

    def write(self, node, w, here):
        p = node.p
        if not node.body or any(part.kind != "fortran section" for part in node.body):
            raise Unfit("sections")
        account, before, texts = FortranAccount(w, here), here.team.before, []
        last = p["last"] and not p["nowait"]
        if p["reduction"]:
            x = w.declare(p["type"], "x")
            before.line(f"{x} = {REDUCTIONS[p['op']][0]}")
            texts.append(f"reduction({p['op']}: {x})")
        if last:
            l = w.declare("integer", "l")
            before.line(f"{l} = -1")
            texts.append(f"lastprivate({l})")
        w.pragma(f"sections {' '.join(texts)}")
        total = Value()
        for number, part in enumerate(node.body):
            w.pragma("section")
            w.line(f"call add({account.main}, {number + 1})")
            total.add(Value({account.main: (number + 1, 0)}))
            if p["reduction"]:
                w.line(reduction_step(p["op"], x, str(number)))
            if last:
                w.line(f"{l} = {number}")
            total.add(write_body(part.body, w, here.but(context="one", account=account)))
        w.end(f"sections {'nowait' if p['nowait'] else ''}")
        done = here.team.after.append if p["nowait"] else w.line
        mine, rest = account.take(total)
        account.check(mine, line=done)
        if last:
            w.check(l, f"{len(node.body) - 1}")
        if p["reduction"]:
            w.check(x, reduction_result(p["op"], len(node.body)), line=done)
        return rest.add(credit(w, here, 2))


@kind
class Single(FortranKind):
    """`single`, `masked` and `master`."""

    name, where, weight = "fortran single", ("team",), 8

    def make(self, rng, grow):
        return {"form": rng.choice(["", "", "nowait", "copyprivate", "masked", "master", "filter"]), "size": rng.choice([1, 3, 90])}, grow("one", times=1)

    def write(self, node, w, here):
        form, size = node.p["form"], node.p["size"]
        account = FortranAccount(w, here)
        directive = {"masked": "masked", "master": "master", "filter": "masked filter(mod(1, omp_get_num_threads()))"}.get(form, "single")
        if form == "copyprivate":
            v = w.private("integer", "v", f"({size})")
            w.line(f"{v} = -1")
        w.pragma(directive)
        w.line(f"call add({account.main}, 1)")
        value = Value({account.main: (1, 0)}).add(write_body(node.body, w, here.but(context="one", account=account)))
        if form == "copyprivate":
            w.line(f"{v} = 5")
        w.end({"nowait": "single nowait", "copyprivate": f"single copyprivate({'' if form != 'copyprivate' else v})", "filter": "masked"}.get(form, directive))
        mine, rest = account.take(value)
        account.check(mine, line=w.line if form in ("", "copyprivate") else here.team.after.append)
        if form == "copyprivate":
            w.check(f"sum({v})", f"{5 * size}")
        return rest.add(credit(w, here, 3))


@kind
class Barrier(FortranKind):
    """A barrier: what every thread wrote before it is seen after it."""

    name, where, weight, holds = "fortran barrier", ("team",), 8, False

    def make(self, rng, grow):
        return {}, []

    def write(self, node, w, here):
        account = FortranAccount(w, here)
        w.line(f"call add({account.main}, 1)")
        w.pragma("barrier")
        account.check(Value({account.main: (0, 1)}), threads="omp_get_num_threads()")
        return Value()


@kind
class Workshare(FortranKind):
    """`workshare`: array assignments, one after the other."""

    name, where, weight, holds = "fortran workshare", ("team",), 8, False

    def make(self, rng, grow):
        return {"n": grow.count(1, 60), "w": rng.randint(1, 9)}, []

    def write(self, node, w, here):
        n, amount = node.p["n"], node.p["w"]
        a, b = w.declare("integer", "a", f"({n})"), w.declare("integer", "b", f"({n})")
        w.pragma("workshare")
        w.line(f"{a} = {amount}")
        w.line(f"{b} = {a} * 2 + 1")
        w.line(f"where ({b} > 3) {a} = {a} + {b}")
        w.end("workshare")
        final = amount + (2 * amount + 1 if 2 * amount + 1 > 3 else 0)
        w.check(f"count({a} /= {final})", "0")
        return credit(w, here, 1)



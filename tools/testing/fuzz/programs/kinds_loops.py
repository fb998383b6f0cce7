"""Kinds of worksharing loops and sections, alone and combined with a region."""

from programs.kinds_basic import make_reduction, number, reduction_first, reduction_result, reduction_step
from programs.tree import Kind, Node, Unfit, Value, kind
from programs.writer import Account, credit, write_body

SCHEDULES = ["", "static", "static,{c}", "dynamic", "dynamic,{c}", "guided", "guided,{c}", "auto", "runtime", "monotonic:dynamic,{c}",
             "nonmonotonic:dynamic,{c}", "nonmonotonic:guided", "monotonic:static,{c}", "monotonic:guided,{c}", "nonmonotonic:dynamic"]
# A thread may have its iterations in any order unless the schedule is monotonic or static.
CHAIN_SCHEDULES = ["static", "static,1", "static,{c}", "monotonic:dynamic", "monotonic:dynamic,{c}", "monotonic:guided", "dynamic",
                   "dynamic", "dynamic,{c}"]


def in_order(schedule):
    return schedule.startswith(("static", "monotonic"))


# type, first value, step, comparison: near the ends of the types, up and down. (Not down in unsigned: GCC 12 hands the step over as a
# large number.)
SPACES = [("int", "0", 1, "<"), ("int", "-7", 3, "<="), ("int", "40", -1, ">"), ("int", "99", -4, ">="), ("unsigned", "3u", 2, "<"),
          ("unsigned", "4000000000u", 5, "<"), ("unsigned", "4000000000u", 5, "<="), ("long", "-3000000000l", 1, "<"),
          ("long long", "9000000000000000000ll", 11, "<"), ("unsigned long long", "18000000000000000000ull", 3, "<"),
          ("unsigned long long", "18000000000000000000ull", -9, ">"), ("long", "5l", 1, "!="), ("int", "2147480000", 2, "<"),
          ("int", "-2147480000", -2, ">"), ("short", "-50", 1, "<"), ("size_t", "0", 1, "<")]


def loop_header(space, i, n):
    """The for statement, and the number of an iteration."""
    ctype, first, step, compare = SPACES[space]
    wide = "unsigned long long" if "unsigned" in ctype or ctype == "size_t" else "long long"
    past = f"({ctype})(({wide}){first} {'-' if step < 0 else '+'} ({wide}){abs(step)} * {n - 1 if '=' in compare and compare != '!=' else n})"
    move = f"{i} += {step}" if step > 0 else f"{i} -= {-step}"
    if abs(step) == 1:
        move = f"{i}++" if step > 0 else f"{i}--"
    distance = f"({wide}){i} - ({wide}){first}" if step > 0 else f"({wide}){first} - ({wide}){i}"
    return f"for ({ctype} {i} = {first}; {i} {compare} {past}; {move})", f"(int)(({distance}) / {abs(step)})"


class Worksharing(Kind):
    """What loops and sections share."""

    combined = False  # with the region around it in one directive

    def grow_body(self, grow, times):
        return grow("one", times=times, regions=int(self.combined), group=True if self.combined else None, most=2)


class Sharing:
    """One worksharing construct while it is written: which of the clauses it was given are allowed here, and their variables. A reduction
    or lastprivate variable of a construct without barrier has no value before the region's end, and a second such construct must not touch
    it before; outside of all regions a variable of the function is private."""

    def __init__(self, p, w, here, combined):
        self.p, self.w, self.here, self.combined = p, w, here, combined
        self.nowait = p["nowait"] and not combined
        self.rounds = 1 if combined else here.repeats
        self.orphan = not combined and not here.regions
        self.reduction = p["reduction"] and not (self.nowait and self.rounds > 1) and not self.orphan
        self.last = p["last"] and not self.nowait and not self.orphan
        self.at_end = w.line if combined else here.team.after.append
        self.x, self.l = w.name("x"), w.name("l")
        self.account = Account(w, here, once=self.nowait)

    def inside(self):
        """Where the body stands."""
        here = self.here
        return here.but(context="one", account=self.account, repeats=1, repeat="0", regions=here.regions + int(self.combined),
                        untied=here.untied and not self.combined, group=self.account if self.combined else here.group)

    def clauses(self, task=""):
        """Declares their variables."""
        texts, before = [], self.account.hole
        if self.reduction:
            before.line(f"{self.p['type']} {self.x} = {reduction_first(self.p['op'])};")
            texts.append(f"reduction({task}{self.p['op']}: {self.x})")
        if self.last:
            before.line(f"long {self.l} = -1;")
            texts.append(f"lastprivate({self.l})")
        return texts + (["nowait"] if self.nowait else [])

    def check_account(self, value, times=1):
        """Here, or at the region's end, for a body that is executed so often. Returns what is left for the accounts around."""
        mine, _ = self.account.take(value, times * (self.here.repeats if self.nowait else 1))
        if self.nowait:
            self.account.check(mine, line=self.at_end, everywhere=True)
        else:
            self.account.check(mine)
        self.account.end(self.at_end)
        return self.account.take(value, times)[1]

    def check_reduction(self, n):
        if self.reduction:
            self.at_end(f"CHECK_EQ({self.x}, ({self.p['type']}){number(reduction_result(self.p['op'], n, self.rounds))});")


class LoopBase(Worksharing):
    """What `omp for` and `omp parallel for` share."""

    fixed = ("op", "type", "space")
    smallest = {"space": 0, "w": 0, "threads": 0}

    def make(self, rng, grow):
        ordered = rng.random() < 0.15
        n = grow.count(1, 60)
        p = {"n": n, "schedule": rng.choice([s for s in SCHEDULES if not (ordered and s.startswith("nonmono"))]), "c": rng.randint(1, 9),
             "space": rng.randrange(len(SPACES)), "ordered": ordered, "nowait": not self.combined and rng.random() < 0.3,
             "reduction": rng.random() < 0.35, "taskred": rng.random() < 0.2, "last": rng.random() < 0.25, "conditional": rng.random() < 0.1,
             "first": rng.random() < 0.2, "collapse": rng.choice([1, 1, 1, 1, 2, 3]), "linear": rng.random() < 0.1,
             "threads": rng.choice([0, 0, 1, 2, 3]), **make_reduction(rng)}
        return p, self.grow_body(grow, n)

    def write(self, node, w, here):
        p, i, k = node.p, w.name("i"), w.name("k")
        inner = [2, 3][:p["collapse"] - 1]
        n = p["n"] * (1 if not inner else inner[0] if len(inner) == 1 else 6)
        with w.block():
            shared = Sharing(p, w, here, self.combined)
            nowait, reduction, last, orphan, x, l = shared.nowait, shared.reduction, shared.last, shared.orphan, shared.x, shared.l
            task_reduction = reduction and p["taskred"] and not nowait
            conditional = p["conditional"] and not nowait and not p["last"] and not orphan
            linear = p["linear"] and shared.rounds == 1 and not inner and not p["ordered"] and not nowait and not orphan
            before, rounds, seen = shared.account.hole, shared.rounds, w.name("seen")
            index = here.repeat if not self.combined else "0"
            before.line(f"unsigned char {seen}_[{rounds} * {n}], *{seen} = {seen}_;")
            before.line(f"memset({seen}, 0, {rounds} * {n});")
            o, f, c, lin = (w.name(letter) for letter in "ofcz")
            texts = shared.clauses("task, " if task_reduction else "")
            if conditional:
                before.line(f"long {c} = -1;")
                texts.append(f"lastprivate(conditional: {c})")
            if linear:
                before.line(f"long {lin} = 7;")
                texts.append(f"linear({lin}: 2)")
            first = p["first"] and not orphan
            if first:
                before.line(f"long {f} = 12345;")
                texts.append(f"firstprivate({f})")
            if p["ordered"]:
                before.line(f"int {o}_[{rounds}], *{o} = {o}_;")
                before.line(f"memset({o}, 0, sizeof {o}_);")
                texts.append("ordered")
            if p["schedule"] and not (p["ordered"] and p["schedule"].startswith("nonmono")):
                texts.append(f"schedule({p['schedule'].format(c=p['c'])})")
            if inner:
                texts.append(f"collapse({len(inner) + 1})")
            if self.combined and p["threads"]:
                texts.append(f"num_threads({p['threads']})")
            elif self.combined and here.regions:
                texts.append("num_threads(2)")
            directive = "parallel for" if self.combined else "for"
            w.pragma(f"{directive} {' '.join(texts)}")
            header, number_of = loop_header(p["space"], i, p["n"])
            w.line(header)
            for level, length in enumerate(inner):
                w.line(f"for (int {i}_{level} = 0; {i}_{level} < {length}; {i}_{level}++)")
                number_of = f"({number_of}) * {length} + {i}_{level}"
            with w.block():
                w.line(f"int {k} = {number_of};")
                w.line(f"{seen}[({index}) * {n} + {k}]++;")
                if first:
                    w.line(f"CHECK_EQ({f}, 12345);")
                    w.line(f"{f} = 12345;")
                if linear:
                    w.lines.append("#ifdef __clang__  // GCC gives it that value in SIMD loops only")
                    w.line(f"CHECK_EQ({lin}, 7 + 2 * {k});")
                    w.lines.append("#endif")
                if reduction:
                    step = reduction_step(p["op"], x, k, p["type"])
                    if task_reduction:
                        w.pragma(f"task in_reduction({p['op']}: {x})")
                        w.line(f"{{ {step} }}")
                    else:
                        w.line(step)
                if last:
                    w.line(f"{l} = {k} * 3;")
                if conditional:
                    w.line(f"if ({k} % 3 == 1) {c} = {k};")
                if p["ordered"]:
                    w.pragma("ordered")
                    w.line(f"{{ CHECK_EQ({o}[{index}], {k}); {o}[{index}]++; }}")
                value = write_body(node.body, w, shared.inside())
            rest = shared.check_account(value, n)
            if nowait:
                shared.at_end(f"for (int i = 0; i < {rounds} * {n}; i++) CHECK_EQ({seen}[i], 1);")
            else:
                w.line(f"for (int i = 0; i < {n}; i++) CHECK_EQ({seen}[({index}) * {n} + i], 1);")
            if last:
                w.line(f"CHECK_EQ({l}, {(n - 1) * 3});")
            # GCC 12 numbers the iterations of a loop that goes down so that an earlier one may count as the last: with a body
            # that takes 50 us the value is wrong in nearly every run, on libgomp too.
            if conditional and n > 1 and SPACES[p["space"]][2] > 0:
                w.lines.append("#ifndef __clang__  // Clang 19's code reads it when the last iteration ends, not when all have ended")
                w.line(f"CHECK_EQ({c}, {max(v for v in range(n) if v % 3 == 1)});")
                w.lines.append("#endif")
            if (last or conditional) and not self.combined:
                w.pragma("barrier")
            shared.check_reduction(n)
        return rest.add(credit(w, here, 2))


@kind
class Loop(LoopBase):
    """`omp for`."""

    name, where, weight = "for", ("team",), 10


@kind
class ParallelLoop(LoopBase):
    """`omp parallel for`."""

    name, where, weight, cost, combined = "parallel for", ("one",), 4, 60, True


@kind
class Doacross(Kind):
    """Loops whose iterations wait for earlier ones: ordered(n) with depend(source) and depend(sink). Some of these are beyond the edges of
    the loop, and ignored."""

    name, where, weight, holds = "doacross", ("team",), 3, False
    smallest = {"aside": -9}

    def make(self, rng, grow):
        return {"n": grow.count(2, 30), "m": rng.choice([1, 1, 4, 7]), "distance": rng.randint(1, 3), "nowait": rng.random() < 0.3,
                "aside": rng.choice([0, 0, 1, 1, 3, 9, -2]), "collapse": rng.random() < 0.2,
                "schedule": rng.choice(["", "static", "static,2", "dynamic", "dynamic,3", "guided", "runtime", "auto"]),
                "step": rng.choice([1, 1, 2, -1])}, []

    def write(self, node, w, here):
        p, i, j, v = node.p, w.name("i"), w.name("j"), w.name("v")
        n, m, far, step = p["n"], p["m"], p["distance"], p["step"] or 1
        aside = p["aside"] if m > 1 else 0
        before, rounds, index = here.team.before, here.repeats, here.repeat
        before.line(f"long {v}_[{rounds * n * m}], *{v} = {v}_;")
        before.line(f"memset({v}, 0, sizeof {v}_);")
        schedule = f"schedule({p['schedule']})" if p["schedule"] else ""
        collapse = "collapse(2)" if p["collapse"] and m > 1 else ""
        w.pragma(f"for ordered({2 if m > 1 else 1}) {collapse} {schedule} {'nowait' if p['nowait'] else ''}")
        first = 10 if step > 0 else 10 + n - 1
        w.line(f"for (int {i} = {first}; {i} {'<' if step > 0 else '>'} {first + step * n}; {i} += {step})"
               if step != -1 else f"for (int {i} = {first}; {i} > {first - n}; {i}--)")
        if m > 1:
            w.line(f"for (int {j} = 0; {j} < {m}; {j}++)")
        with w.block():
            k = f"(({i} - {first}) / {step})"
            back = f"{i} {'-' if step > 0 else '+'} {far * abs(step)}"
            jj = j if m > 1 else "0"
            w.line(f"int here_ = ({index}) * {n * m} + {k} * {m} + {jj};")
            w.pragma(f"ordered depend(sink: {back}, {j} {'-' if aside < 0 else '+'} {abs(aside)}) depend(sink: {i}, {j} - 1)" if m > 1 else
                     f"ordered depend(sink: {back})")
            w.line(f"long up = {k} >= {far} && {jj} + {aside} >= 0 && {jj} + {aside} < {m} ? {v}[here_ - {far * m} + {aside}] : 0;")
            w.line(f"long left = {jj} > 0 ? {v}[here_ - 1] : 0;")
            w.line(f"{v}[here_] = (up > left ? up : left) + 1;")
            w.pragma("ordered depend(source)")
        expected = w.global_name("x")
        w.globals.append(f"static const long {expected}[] = {{{', '.join(map(str, self.values(n, m, far, aside)))}}};")
        here.team.after.append(f"for (int i = 0; i < {rounds * n * m}; i++) CHECK_EQ({v}[i], {expected}[i % {n * m}]);")
        return credit(w, here, 2)

    def values(self, n, m, far, aside):
        """What the iterations compute, one after the other."""
        values = []
        for k in range(n):
            for j in range(m):
                up = values[(k - far) * m + j + aside] if k >= far and 0 <= j + aside < m else 0
                values.append(max(up, values[-1] if j > 0 else 0) + 1)
        return values


@kind
class ChainLoop(Kind):
    """A loop whose iterations wait for the one before, without OpenMP's help, and in which each thread notes the order of its iterations."""

    name, where, weight, holds = "chain", ("team",), 2, False

    def make(self, rng, grow):
        return {"n": grow.count(2, 40), "c": rng.randint(1, 4), "schedule": rng.choice(CHAIN_SCHEDULES), "down": rng.random() < 0.3}, []

    def write(self, node, w, here):
        p, i, v, last = node.p, w.name("i"), w.name("v"), w.name("l")
        n = p["n"]
        here.team.before.line(f"int {v}_[{here.repeats * n}], *{v} = {v}_;")
        here.team.before.line(f"memset({v}, 0, sizeof {v}_);")
        schedule = (p["schedule"] or "static").format(c=p["c"])
        with w.block():
            w.line(f"int {last} = -1, *const done = {v} + ({here.repeat}) * {n};")
            w.pragma(f"for schedule({schedule})")
            header = f"for (int {i} = {n}; {i} > 0; {i}--)" if p["down"] else f"for (int {i} = 0; {i} < {n}; {i}++)"
            with w.block(f"{header} {{"):
                w.line(f"int k = {f'{n} - {i}' if p['down'] else i};")
                if in_order(schedule):
                    w.line(f"CHECK(k > {last});")
                else:
                    w.lines.append("#ifndef __clang__  // nonmonotonic is the default, but only Clang's programs reckon with it")
                    w.line(f"CHECK(k > {last});")
                    w.lines.append("#endif")
                w.line(f"{last} = k;")
                w.line("while (k > 0 && !__atomic_load_n(&done[k - 1], __ATOMIC_ACQUIRE)) sched_yield();")
                w.line("__atomic_store_n(&done[k], 1, __ATOMIC_RELEASE);")
        return credit(w, here, 1)


@kind
class Scan(Kind):
    """A prefix sum: reduction(inscan, …) and scan. Of two iterations at least: Clang 19's code for one writes beyond its buffer."""

    name, where, weight, holds, cost = "scan", ("one",), 2, False, 60
    smallest = {"n": 2}

    def make(self, rng, grow):
        return {"n": grow.count(2, 60), "exclusive": rng.random() < 0.5}, []

    def write(self, node, w, here):
        n, x, a, i = node.p["n"], w.name("x"), w.name("a"), w.name("i")
        with w.block():
            w.line(f"long {x} = 0, {a}_[{n}], *{a} = {a}_;")
            threads = "num_threads(2)" if here.regions else ""
            w.pragma(f"parallel for reduction(inscan, +: {x}) {threads}")
            with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                if node.p["exclusive"]:
                    w.line(f"{a}[{i}] = {x};")
                    w.pragma(f"scan exclusive({x})")
                    w.line(f"{x} += {i} + 1;")
                else:
                    w.line(f"{x} += {i} + 1;")
                    w.pragma(f"scan inclusive({x})")
                    w.line(f"{a}[{i}] = {x};")
            past = 0 if node.p["exclusive"] else 1
            w.line(f"for (int i = 0; i < {n}; i++) CHECK_EQ({a}[i], (long)(i + {past}) * (i + {past} + 1) / 2);")
            w.line(f"CHECK_EQ({x}, {n * (n + 1) // 2});")
        return credit(w, here, 1)


# ---- Sections --------------------------------------------------------------------------------------------------------

@kind
class Section(Kind):
    """One section of `sections`; stands nowhere else."""

    name, where, weight = "section", ("section",), 0


class SectionsBase(Worksharing):
    """What `omp sections` and `omp parallel sections` share."""

    fixed = ("op", "type")

    def make(self, rng, grow):
        parts = rng.randint(1, 6)
        p = {"nowait": not self.combined and rng.random() < 0.3, "reduction": rng.random() < 0.3, "last": rng.random() < 0.3,
             **make_reduction(rng)}
        return p, [Node("section", {}, self.grow_body(grow, 1)) for _ in range(parts)]

    def write(self, node, w, here):
        p = node.p
        parts = [child for child in node.body if child.kind == "section"]
        if len(parts) != len(node.body) or not parts:
            raise Unfit("sections")
        with w.block():
            shared = Sharing(p, w, here, self.combined)
            account, inside, texts = shared.account, shared.inside(), shared.clauses()
            if self.combined and here.regions:
                texts.append("num_threads(2)")
            with w.construct(f"{'parallel ' if self.combined else ''}sections {' '.join(texts)}"):
                total = Value()
                for number_of, part in enumerate(parts):
                    with w.construct("section"):
                        w.pragma("atomic")
                        w.line(f"{account.main} += {number_of + 1};")
                        total.add(Value({account.main: (number_of + 1, 0)}))
                        if shared.reduction:
                            w.line(reduction_step(p["op"], shared.x, str(number_of), p["type"]))
                        if shared.last:
                            w.line(f"{shared.l} = {number_of};")
                        total.add(write_body(part.body, w, inside))
            rest = shared.check_account(total)
            if shared.last:
                w.line(f"CHECK_EQ({shared.l}, {len(parts) - 1});")
                if not self.combined:
                    w.pragma("barrier")
            shared.check_reduction(len(parts))
        return rest.add(credit(w, here, 2))


@kind
class Sections(SectionsBase):
    """`omp sections`."""

    name, where, weight = "sections", ("team",), 4


@kind
class ParallelSections(SectionsBase):
    """`omp parallel sections`."""

    name, where, weight, cost, combined = "parallel sections", ("one",), 2, 60, True

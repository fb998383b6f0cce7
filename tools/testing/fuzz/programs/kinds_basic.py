"""Kinds without threads of their own: additions, locks, critical sections, atomics, repetition; and what several kinds share."""

from programs.tree import KINDS, Kind, Unfit, Value, kind
from programs.writer import MASK, write_body

# type -> whether it is an integer; sums of small numbers are exact in each.
TYPES = {"int": True, "long": True, "unsigned": True, "unsigned long long": True, "short": True, "signed char": True,
         "float": False, "double": False, "long double": False}
SAFE_TYPES = ["int", "long", "unsigned", "unsigned long long", "double"]


@kind
class Add(Kind):
    """An atomic addition to the account: the plainest work there is."""

    name, where, weight, holds = "add", ("team", "one", "leaf"), 2, False
    forms = ("update", "capture", "capture-new", "seq_cst", "relaxed", "hint")

    def make(self, rng, grow):
        return {"w": rng.randint(1, 30), "form": rng.choice(self.forms)}, []

    def write(self, node, w, here):
        target, amount, form = here.account.main, node.p["w"], node.p["form"]
        clauses = {"seq_cst": "seq_cst", "relaxed": "relaxed", "hint": "hint(omp_sync_hint_uncontended)"}.get(form, "")
        if form.startswith("capture"):
            old = w.name("v")
            w.line(f"long {old};")
            w.pragma("atomic capture")
            w.line(f"{old} = {target} += {amount};" if form == "capture-new" else f"{{ {old} = {target}; {target} += {amount}; }}")
            w.line(f"CHECK({old} >= {amount if form == 'capture-new' else 0});")
        else:
            w.pragma(f"atomic update {clauses}")
            w.line(f"{target} += {amount};")
        return Value({target: (0, amount) if here.context == "team" else (amount, 0)})


@kind
class Atomic(Kind):
    """Atomic operations of many types: +=, -=, max and min, bits; on a variable of its own."""

    name, where, weight, holds = "atomic", ("team", "one", "leaf"), 2, False

    def make(self, rng, grow):
        return {"type": rng.choice(list(TYPES)), "w": rng.randint(1, 3), "op": rng.choice(["+", "+", "-", "max", "or", "swap"]),
                "order": rng.choice(["", "", "seq_cst", "relaxed", "acq_rel"])}, []

    def write(self, node, w, here):
        ctype, op, amount = node.p["type"] or "long", node.p["op"] or "+", node.p["w"]
        order = "relaxed" if node.p["order"] == "acq_rel" else node.p["order"]
        if op in "+-":
            slot = here.account.slot(ctype)
            w.pragma(f"atomic {order}")
            w.line(f"{slot} {op}= {amount};")
            amount = amount if op == "+" else -amount
            return Value({slot: (0, amount) if here.context == "team" else (amount, 0)})
        if op == "or":
            slot = here.account.slot("unsigned", "~0u")
            w.pragma(f"atomic {order}")
            w.line(f"{slot} |= {1 << amount};")
            return none_of(here, slot, w, "~0u")
        slot = w.name("m")
        w.pointers[slot] = "int"
        here.account.hole.line(f"int {slot}_ = 3, *{slot} = &{slot}_;")
        if op == "max":
            w.pragmas("atomic compare", f"critical ({w.global_name('k')})")
            w.line(f"if (*{slot} < {amount}) {{ *{slot} = {amount}; }}")
        else:
            old = w.name("v")
            w.line(f"int {old};")
            w.pragma("atomic capture")
            w.line(f"{{ {old} = *{slot}; *{slot} = 3; }}")
            w.line(f"CHECK_EQ({old}, 3);")
        return Value()


def none_of(here, slot, w, value):
    """A variable that must keep its first value: checked on the spot, by a read."""
    here.account.slots.remove(slot)
    got = w.name("v")
    w.line(f"unsigned {got};")
    w.pragma("atomic read")
    w.line(f"{got} = {slot};")
    w.line(f"CHECK_EQ({got}, {value});")
    return Value()


@kind
class Critical(Kind):
    """A plain addition that a critical section or a lock guards."""

    name, where, weight = "critical", ("team", "one"), 3
    forms = ("named", "hint", "lock", "lock-hint", "nest", "nest-hint", "test", "test-nest")

    def make(self, rng, grow):
        return {"w": rng.randint(1, 30), "form": rng.choice(self.forms)}, grow("leaf", most=1)

    def write(self, node, w, here):
        form, amount = node.p["form"] or "named", node.p["w"]
        slot = here.account.slot("long")
        total = Value({slot: (0, amount) if here.context == "team" else (amount, 0)})
        if form in ("named", "hint"):
            hint = " hint(omp_sync_hint_contended)" if form == "hint" else ""
            w.pragma(f"critical ({w.global_name('k')}){hint}")
            w.open()
        else:
            nest = "nest_" if "nest" in form else ""
            init = f"omp_init_{nest}lock_with_hint({{}}, omp_sync_hint_speculative);" if "hint" in form else f"omp_init_{nest}lock({{}});"
            lock = here.account.object(f"omp_{nest}lock_t", init, f"omp_destroy_{nest}lock({{}});")
            w.open()
            if form.startswith("test"):
                w.line(f"while (!omp_test_{nest}lock({lock})) sched_yield();")
            else:
                w.line(f"omp_set_{nest}lock({lock});")
            if nest:
                w.line(f"omp_set_nest_lock({lock});")
        w.line(f"{slot} += {amount};")
        for child in node.body:
            if "leaf" not in KINDS[child.kind].where:
                raise Unfit("a scheduling point in a critical section")
        total.add(write_body(node.body, w, here))
        if form not in ("named", "hint"):
            if nest:
                w.line(f"omp_unset_nest_lock({lock});")
            w.line(f"omp_unset_{nest}lock({lock});")
        w.close()
        return total


@kind
class Repeat(Kind):
    """A plain loop around constructs."""

    name, where, weight = "repeat", ("team", "one"), 2

    def make(self, rng, grow):
        n = rng.randint(2, 4)
        return {"n": n}, grow("same", times=n, most=2)

    def write(self, node, w, here):
        n, r = node.p["n"], w.name("r")
        with w.block(f"for (int {r} = 0; {r} < {n}; {r}++) {{"):
            inside = here.but(repeats=here.repeats * n, repeat=f"({here.repeat}) * {n} + {r}")
            total = Value().add(write_body(node.body, w, inside), n)
        return total


@kind
class Yield(Kind):
    """Scheduling points and flushes that change nothing."""

    name, where, weight, holds = "yield", ("team", "one"), 1, False

    def make(self, rng, grow):
        return {"what": rng.choice(["taskyield", "flush", "taskwait", "flush acq_rel"])}, []

    def write(self, node, w, here):
        w.pragma(node.p["what"] or "taskyield")
        return Value()


# ---- Reductions ------------------------------------------------------------------------------------------------------

INTEGERS = ["int", "long", "unsigned", "unsigned long long", "short", "unsigned char"]
NUMBERS = [*INTEGERS, "float", "double"]
REDUCTIONS = {  # operator: (first value, what contribution k is, how it goes in, types)
    "+": (5, lambda k: k % 7 + 1, "{x} += {v};", NUMBERS),
    "*": (1, lambda k: 3 if k % 5 == 0 else 1, "{x} *= {v};", ["unsigned", "unsigned long long"]),
    "&": (-1, lambda k: ~(1 << k % 5), "{x} &= {v};", INTEGERS),
    "|": (0, lambda k: 1 << k % 6, "{x} |= {v};", INTEGERS),
    "^": (9, lambda k: k % 31, "{x} ^= {v};", INTEGERS),
    "min": (100, lambda k: 90 - k % 41, "if ({v} < {x}) {x} = {v};", NUMBERS),
    "max": (-1, lambda k: k % 41, "if ({v} > {x}) {x} = {v};", ["int", "long", "float", "double"]),
    "&&": (1, lambda k: 1 if k % 17 else 0, "{x} = {x} && {v};", ["int", "long"]),
    "||": (0, lambda k: 1 if k % 17 == 3 else 0, "{x} = {x} || {v};", ["int", "long"]),
}
IN_C = {"+": "({k} % 7 + 1)", "*": "({k} % 5 == 0 ? 3 : 1)", "&": "~(1 << {k} % 5)", "|": "(1 << {k} % 6)", "^": "({k} % 31)",
        "min": "(90 - {k} % 41)", "max": "({k} % 41)", "&&": "({k} % 17 != 0)", "||": "({k} % 17 == 3)"}
COMBINE = {"+": lambda a, b: a + b, "*": lambda a, b: a * b & MASK, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
           "^": lambda a, b: a ^ b, "min": min, "max": max, "&&": lambda a, b: int(bool(a) and bool(b)),
           "||": lambda a, b: int(bool(a) or bool(b))}


def make_reduction(rng):
    op = rng.choice(list(REDUCTIONS))
    return {"op": op, "type": rng.choice(REDUCTIONS[op][3])}


def reduction_first(op):
    return REDUCTIONS[op][0]


def reduction_result(op, n, times=1):
    result = REDUCTIONS[op][0]
    for _ in range(times):
        for k in range(n):
            result = COMBINE[op](result, REDUCTIONS[op][1](k))
    return result


def number(value):
    return f"{value}ull" if value >= 1 << 63 else f"{value}l"


def reduction_step(op, x, k, ctype):
    """The statement that adds contribution k."""
    value = f"({ctype}){IN_C[op].format(k='(' + k + ')')}"
    return REDUCTIONS[op][2].format(x=x, v=value)

"""Writing a tree as C or C++: lines, names, variables whose values are known, and where in the program one is.

A construct that checks itself owns an Account: variables to which its body adds. When all that was begun in it must have ended (a
barrier, the end of a taskgroup), it checks them, and adds a constant to the account of the construct around, so that this one sees
how often it was executed. In a region, all threads must see the same variables, so they are declared before the region ("hoisted");
in a loop around worksharing constructs, there is one of each for every repetition, so that no thread resets what another one uses.
"""

import re
from contextlib import contextmanager
from dataclasses import dataclass, replace

from programs.tree import KINDS, Unfit, Value

MASK = (1 << 64) - 1


class Writer:
    """The lines of one program. A hole is a list in the middle, which is filled in later."""

    def __init__(self, prefix, language):
        self.prefix, self.language = prefix, language
        self.globals, self.lines, self.indent, self.numbers = [], [], 1, 0
        self.pointers = {}  # name of a pointer that accounts declare: its type

    def name(self, letter):
        self.numbers += 1
        return f"{letter}{self.numbers}"

    def global_name(self, letter):
        self.numbers += 1
        return f"{self.prefix}_{letter}{self.numbers}"

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def pragma(self, text):
        self.lines.append("#pragma omp " + " ".join(text.split()))

    def pragmas(self, clang, other):
        """A pragma that not every compiler knows in one form. An empty one: nothing."""
        for guard, text in (("#ifdef __clang__", clang), ("#else", other)):
            self.lines.append(guard)
            if text:
                self.pragma(text)
        self.lines.append("#endif")

    def open(self, text="{"):
        self.line(text)
        self.indent += 1

    def close(self, text="}"):
        self.indent -= 1
        self.line(text)

    @contextmanager
    def block(self, *texts):
        """What is written inside stands in braces, or between two texts."""
        self.open(*texts[:1])
        yield
        self.close(*texts[1:])

    @contextmanager
    def construct(self, directive):
        """In braces, behind a pragma."""
        self.pragma(directive)
        with self.block():
            yield

    def hole(self):
        hole = Hole("  " * self.indent)
        self.lines.append(hole)
        return hole

    def in_a_function(self, write):
        """What write() writes goes into a function of its own, which is called here; returns what write() does."""
        lines, self.lines, indent, self.indent = self.lines, [], self.indent, 1
        result = write()
        body, self.lines, self.indent = "\n".join(flat(self.lines)), lines, indent
        own = set(re.findall(r"\*(\w+) = &?\1_\b", body))
        used = sorted((set(re.findall(r"\b[a-z]+\d+\b", body)) & set(self.pointers)) - own)
        name = self.global_name("u")
        parameters = ", ".join(f"{self.pointers[each]} *{each}" for each in used) or "void"
        self.globals.append(f"static void {name}({parameters}) {{\n{body}\n}}")
        self.line(f"{name}({', '.join(used)});")
        return result


class Hole(list):
    def __init__(self, indent):
        super().__init__()
        self.indent = indent

    def line(self, text):
        self.append(self.indent + text)


def flat(lines):
    for line in lines:
        if isinstance(line, list):
            yield from flat(line)
        else:
            yield line


class Slot:
    """One variable of an account: a pointer that tasks may copy, to `count` objects of which `index` is meant here."""

    def __init__(self, name, ctype, count, index):
        self.name, self.ctype, self.count, self.index = name, ctype, count, index

    def __str__(self):
        return f"{self.name}[{self.index}]"


@dataclass(frozen=True)
class Here:
    """Where in the program code is written."""

    context: str = "team"     # "team" or "one", as in tree.Kind.where
    top: bool = False         # inside no construct
    account: object = None    # to which bodies add
    group: object = None      # the account of a taskgroup or region that waits for all tasks, children's children too
    team: object = None       # the Team whose threads meet this
    repeats: int = 1          # how often loops inside the region execute this, in all
    repeat: str = "0"         # the number of the repetition, an expression
    final: bool = False       # maybe in a final task: what is made is executed at once
    untied: bool = False      # in an untied task
    regions: int = 0          # regions around

    def but(self, **changes):
        return replace(self, **changes)


class Team:
    """The variables of one region: declarations before it, checks after it, the number of its threads."""

    def __init__(self, before, after, threads):
        self.before, self.after, self.threads = before, after, threads


class Account:
    """The variables that the body of one construct adds to."""

    def __init__(self, w, here, once=False):
        """once: checked where the region ends, so repetitions share one."""
        self.w, self.here, self.slots, self.ends = w, here, [], []
        shared = here.context == "team" and here.team is not None
        self.hole = here.team.before if shared else w.hole()
        self.count, self.index = (here.repeats, here.repeat) if shared and not once else (1, "0")
        self.main = self.slot("long")

    def slot(self, ctype, init="0"):
        name = self.w.name("s")
        self.w.pointers[name] = ctype
        self.hole.line(f"{ctype} {name}_[{self.count}], *{name} = {name}_;")
        self.hole.line(f"for (int i = 0; i < {self.count}; i++) {name}[i] = {init};")
        slot = Slot(name, ctype, self.count, self.index)
        self.slots.append(slot)
        return slot

    def object(self, ctype, begin, end):
        """Something without a value, such as a lock; the texts begin and end have {} where its name belongs."""
        name = self.w.name("o")
        self.w.pointers[name] = ctype
        self.hole.line(f"{ctype} {name}_[{self.count}], *{name} = {name}_;")
        self.hole.line(f"for (int i = 0; i < {self.count}; i++) {{ {begin.format(f'&{name}[i]')} }}")
        self.ends.append(f"for (int i = 0; i < {self.count}; i++) {{ {end.format(f'&{name}[i]')} }}")
        return f"&{name}[{self.index}]"

    def take(self, value, times=1):
        """What of a value belongs to these variables, times often; the rest of it is left for the accounts around."""
        mine, rest = Value(), Value()
        for slot, amount in value.items():
            (mine if slot in self.slots else rest).add(Value({slot: amount}), times)
        return mine, rest

    def check(self, mine, threads="1", line=None, everywhere=False):
        """Checks the values; everywhere: of all repetitions."""
        line = line or self.w.line
        for slot in self.slots:
            a, b = mine.get(slot, (0, 0))
            expected = f"{a}" if not b else f"{a} + {b} * (long){threads}"
            if everywhere:
                line(f"for (int i = 0; i < {slot.count}; i++) CHECK_EQ({slot.name}[i], ({slot.ctype})({expected}));")
            else:
                line(f"CHECK_EQ({slot}, ({slot.ctype})({expected}));")

    def end(self, line=None):
        for text in self.ends:
            (line or self.w.line)(text)


def credit(w, here, amount):
    """Adds to the account around, from each thread that comes here."""
    w.pragma("atomic")
    w.line(f"{here.account.main} += {amount};")
    return Value({here.account.main: (0, amount) if here.context == "team" else (amount, 0)})


def write_task_body(body, w, here):
    """The body of a task. That of an untied one is a function, as in most programs: Clang 19 breaks down over taskgroups inside an untied
    task that has variables."""
    if here.untied:
        return w.in_a_function(lambda: write_body(body, w, here))
    return write_body(body, w, here)


def write_body(body, w, here):
    """A list of nodes, one after the other."""
    total = Value()
    for node in body:
        its_kind = KINDS[node.kind]
        if here.top and "top" in its_kind.where:
            total.add(its_kind.write(node, w, here))
        elif here.context in its_kind.where:
            total.add(its_kind.write(node, w, here.but(top=False)))
        elif here.context == "team" and "one" in its_kind.where:
            # Every thread of the team executes it for itself.
            w.open()
            total.add(its_kind.write(node, w, here.but(context="one", top=False)).by_each_thread())
            w.close()
        else:
            raise Unfit(f"{node.kind} in {here.context}")
        if w.language not in its_kind.languages:
            raise Unfit(f"{node.kind} in {w.language}")
    return total


def write_program(root, prefix, language):
    """The source of one program: `static void <prefix>(void)` and what it needs."""
    w = Writer(prefix, language)
    w.line("{")
    here = Here(context="team", top=True)
    team = Team(w.hole(), [], "1")
    w.line("long threads = 1; (void)threads;")
    here = here.but(team=team)
    account = Account(w, here, once=True)
    here = here.but(account=account, group=None)
    mine, rest = account.take(write_body(root.body, w, here))
    assert not rest, rest
    for line in team.after:
        w.lines.append(line)
    account.check(mine)
    account.end()
    w.line("}")
    return "\n".join([*flat(w.globals), f"static void {prefix}(void)", *flat(w.lines)]) + "\n"

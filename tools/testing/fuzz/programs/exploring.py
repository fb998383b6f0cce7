"""Random programs under `chomp explore`: of each, nothing is found; with a race planted at a random place of its tree, that race, by the lines
that are marked in the source. A program that is too long for it is counted, and decides nothing."""

import random
import re
import subprocess
from collections import Counter

from programs import compilers, found, source
from programs.generator import random_tree
from programs.running import ROOT
from programs.tree import KINDS, Kind, Node, Unfit, Value, kind

MARK = "PLANTED"
FAULT, NOTHING, UNDECIDED = 1, 0, 4
SECONDS = 20

# What stands in a taskgroup; the tasks have nothing that orders them. @ marks the lines that may be blamed.
C_FORMS = {
    "siblings": ["#task", "{x} = 1; @", "#task", "{x} += 2; @"],
    "creator": ["#task", "{x} = 1; @", "CHECK({x} >= 0); @", "#taskwait"],
    "grandchild": ["#task", "{{", "#task", "{x} = 1; @", "}}", "#taskwait", "CHECK({x} >= 0); @"],
    "other addresses": ["#task depend(out: {x})", "{y} = 1; @", "#task depend(in: {y})", "CHECK({y} >= 0); @"],
    "two locks": ["#task", "{{", "#critical ({x}_a)", "{x}++; @", "}}", "#task", "{{", "#critical ({x}_b)", "{x}++; @", "}}"],
    "one atomic": ["#task", "{{", "#atomic @", "{x}++; @", "}}", "#task", "CHECK({x} >= 0); @"],
    "range": ["#task", "memset(&{y}, 0, 8); @", "#task", "((char*)&{y})[5] = 0; @"],
    "loop": ["#taskloop grainsize(1)", "for (int i = 0; i < 2; i++)", "{x} += i; @"],
}
FORTRAN_FORMS = {
    "siblings": ["#task shared({x}, {y})", "{x} = 1 @", "#end task", "#task shared({x}, {y})", "{x} = {x} + 2 @", "#end task"],
    "creator": ["#task shared({x}, {y})", "{x} = 1 @", "#end task", "if ({x} > 100) stop 3 @", "#taskwait"],
    "grandchild": ["#task shared({x}, {y})", "#task shared({x}, {y})", "{x} = 1 @", "#end task", "#end task", "#taskwait", "if ({x} > 100) stop 3 @"],
    "one atomic": ["#task shared({x}, {y})", "#atomic @", "{x} = {x} + 1 @", "#end task", "#task shared({x}, {y})", "{x} = 0 @", "#end task"],
}


def write_form(form, w, x, y, comment):
    for text in form:
        write = w.pragma if text.startswith("#") else w.line
        write(text.lstrip("#").format(x=x, y=y).replace("@", f"{comment} {MARK}"))


def expect_concurrency(here):
    if here.final:
        raise Unfit("tasks of a final task are executed in order")
    if here.regions != 1:
        raise Unfit("no runtime defers the tasks of a team of one, as those outside of regions and inside of two are")


class Fault(Kind):
    """A race. Random trees have none."""

    where, weight, holds, drawn = ("team", "one"), 0, False, False

    def make(self, rng, grow):
        raise NotImplementedError


@kind
class Planted(Fault):
    name = "planted"

    def write(self, node, w, here):
        expect_concurrency(here)
        x, y = w.global_name("x"), w.global_name("y")
        w.globals.append(f"long {x}, {y};")  # to others, too: else the compiler leaves out what nobody reads
        with w.construct("taskgroup"):
            write_form(C_FORMS[node.p["form"]], w, x, y, "//")
        return Value()


@kind
class FortranPlanted(Fault):
    name, languages, where = "fortran planted", ("fortran",), ("one",)

    def write(self, node, w, here):
        expect_concurrency(here)

        def inside():
            x, y = w.declare("integer", "x"), w.declare("integer", "y")
            w.line(f"{x} = 0")
            w.pragma("taskgroup")
            write_form(FORTRAN_FORMS[node.p["form"]], w, x, y, "!")
            w.end("taskgroup")
        w.procedure(here, inside)
        return Value()


def planted(tree, language, rng):
    """The tree with a race somewhere, and its source."""
    name, forms = ("fortran planted", FORTRAN_FORMS) if language == "fortran" else ("planted", C_FORMS)
    for _ in range(30):
        copy = tree.copy()
        path = [copy]
        while path[-1].body and rng.random() < 0.8:
            path.append(rng.choice(path[-1].body))
        if any("cancel" in node.kind or node.p.get("threads") == 1 or "if(0)" in node.p.get("if", "") or ".false." in str(node.p) for node in path) or not KINDS.get(path[-1].kind, Kind).holds:
            continue
        path[-1].body.insert(rng.randint(0, len(path[-1].body)), Node(name, {"form": rng.choice(sorted(forms))}))
        try:
            return copy, source.whole([("program", copy)], language)
        except Unfit:
            continue
    return None, None


def verdict(text, status, said, has_fault):
    """Nothing if it is right."""
    if not has_fault:
        return None if status in (NOTHING, UNDECIDED) else "alarm"
    if status != FAULT:
        return None if status == UNDECIDED else "missed"
    marked = {number for number, line in enumerate(text.splitlines(), 1) if line.rstrip().endswith(MARK)}
    said = re.sub(r"^chomp explore: (?:run|order) \d+, .*\n", "", said, flags=re.M)  # how far it is
    first = said.split("\nchomp explore: ")[0]
    blamed = {int(line) for line in re.findall(r"^    \S+?:(\d+) (?:reads|writes|updates|returns)", first, re.M)}
    return None if blamed and blamed <= marked else "another line"


class Exploration:
    def __init__(self, options):
        self.options, self.count = options, Counter()
        self.chomp = options.library.parent / "bin" / "chomp"
        self.compilers = [each for each in compilers.find(options.compilers and options.compilers.split(","), options.fortran) if each.family != "flang"]
        self.only = (options.only or set(KINDS)) - {name for name, each in KINDS.items() if not each.drawn}
        options.found.mkdir(parents=True, exist_ok=True)

    def one(self, seed, say):
        language = source.language_of(seed, self.options.fortran)
        rng = random.Random(f"planted {seed}")
        tree = random_tree(seed, language, self.only)
        with_fault, its_text = planted(tree, language, rng)
        for compiler in self.compilers:
            config = compilers.Config(compiler, rng.choice(compilers.LEVELS))
            for text in filter(None, (source.whole([("program", tree)], language), its_text)):
                self.judge(seed, language, config, text, text is its_text, say)
        self.count["programs"] += 1

    def judge(self, seed, language, config, text, has_fault, say):
        name = f"explored-{seed}-{config.compiler.family}{'-planted' if has_fault else ''}"
        file = self.options.found / f"{name}{found.suffix(language)}"
        file.write_text(text)
        program = file.with_suffix(".program")
        wrapped = config._replace(compiler=config.compiler._replace(c=[self.chomp, "cc", config.compiler.c], cxx=[self.chomp, "cc", config.compiler.cxx]))
        said = compilers.compile_source(wrapped, file, program, language)
        wrong, status = "does not compile", None
        if said is None:
            runs = [] if has_fault else ["--runs", self.options.explore]
            words = [self.chomp, "explore", "--seconds", SECONDS, *runs, program]
            done = subprocess.run([str(word) for word in words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
            status, said = done.returncode, done.stderr
            wrong = verdict(text, status, said, has_fault)
            program.unlink()
        self.count["undecided"] += status == UNDECIDED
        self.count["verdicts"] += 1
        if wrong is None:
            return file.unlink()
        self.count["wrong"] += 1
        say(f"{wrong}: {file}, {compilers.title(config)}, status {status}\n" + "\n".join("  " + line for line in said.splitlines()[:12]))
        return None

    def summary(self):
        count = self.count
        return f"{count['programs']} programs explored, {count['verdicts']} verdicts: {count['wrong']} wrong, {count['undecided']} not decided"

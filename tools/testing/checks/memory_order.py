#!/usr/bin/env python3
"""Checks that every atomic operation says its memory order, and why that order is right.

The rule (CONTRIBUTING.md):
  - An operation on an atomic names its order: no default arguments, no ++ or = on an atomic.
  - One that is not relaxed has a comment that names its partner ("pairs with ...") or the place that does ("seq_cst: see
    README.md"): on a line of the same statement, or in the comment just above it. Neighbouring lines with atomic operations may share the comment above the first.
  - A relaxed one is explained once: a comment with the word "relaxed" in or just above the same function, or at the
    declaration of the field (or just above its struct).
  - A function whose order is a parameter, and one whose name says the order (load_acquire), count at their callers.

usage: tools/testing/checks/memory_order.py [--self-test] [FILE...]      (default: runtime/, schedulers/ and abi/)
"""

import re
import sys

from source import Source, matching_paren, tree_files

FOLDERS = ("runtime", "schedulers", "abi")

METHODS = "load|store|exchange|compare_exchange_weak|compare_exchange_strong|fetch_(?:add|sub|and|or|xor|max|min)|test_and_set"
OPERATION = re.compile(
    rf"(?P<method>(?:\.|->)\s*(?:{METHODS})\s*(?=\())"
    r"|(?P<named>\b\w*(?:load|store|exchange|fetch_\w+|cas|fence)_(?:relaxed|acquire|release|acq_rel|seq_cst)\s*(?=\())"
    r"|(?P<fence>\b(?:thread|signal)_fence\s*(?=\())"
    r"|(?P<builtin>\b__atomic_(?!always_lock_free|is_lock_free)\w+\s*(?=\())"
    r"|(?P<sync>\b__sync_\w+\s*(?=\())")
ORDER = re.compile(r"(?<![a-z])(relaxed|consume|acquire|release|acq_rel|seq_cst)\b|__ATOMIC_(RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|\b\w*_?(order)\b")
CAMEL_ORDER = re.compile(r"\bk(Relaxed|Acquire|Release|AcqRel|SeqCst)\b")
PARTNER = re.compile(r"\bpair(s|ed|ing)?\b|\bpartner\b|\bmatch(es|ing)?\b"
                     r"|\b(acquire|release|acq_rel|seq_cst)\b[^.:]*: see\b", re.I)  # "seq_cst here and below: see ..."
BELOW = re.compile(r"\b(acquire|release|acq_rel|seq_cst) here and below: (see|pairs)\b", re.I)
OWN_METHOD = re.compile(rf"\b(?!return\b|else\b)\w[\w>&*]*\s+[&*]?(?P<name>{METHODS})\s*\(")
RELAXED = re.compile(r"\brelaxed\b", re.I)
ATOMIC_DECLARATION = re.compile(r"\b[Aa]tomic\s*<|\batomic_flag\b")
# The standard library's names, which only runtime/base/atomic.h may use: a build that explores puts twins in their place.
STANDARD_NAME = re.compile(r"\bstd::atomic\w*(?=\s*[<(])|#\s*include\s*<atomic>")
STANDARD_NAME_FILE = "runtime/base/atomic.h"
CONTAINER = re.compile(r"\b(namespace|struct|class|union|enum)\b[^()=]*$|extern\s*$")


def orders_in(arguments):
    """The orders an argument list names, as words; "order" for an order handed on by a parameter."""
    found = {next(group for group in match.groups() if group).lower() for match in ORDER.finditer(arguments)}
    found |= {{"AcqRel": "acq_rel", "SeqCst": "seq_cst"}.get(word, word.lower()) for word in CAMEL_ORDER.findall(arguments)}
    return found


def last_name(expression):
    """The field or variable an expression denotes: `a->b[i].c` gives c, `*p` gives p, `slots_[i]` gives slots_."""
    expression = expression.strip()
    while expression.endswith((")", "]")):
        closing = expression[-1]
        opening = {")": "(", "]": "["}[closing]
        depth, position = 0, len(expression) - 1
        while position >= 0:
            depth += (expression[position] == closing) - (expression[position] == opening)
            if depth == 0:
                break
            position -= 1
        inner, expression = expression[position + 1:-1], expression[:max(position, 0)].rstrip()
        if not expression:  # a parenthesised expression: look inside
            expression = inner.strip()
    found = re.search(r"(\w+)$", expression)
    return found.group(1) if found else ""


class Declarations:
    """The atomic fields and variables of all the files, and which of them explain their relaxed uses."""

    def __init__(self, sources):
        self.explained = set()
        self.atomic = set()
        self.plain = set()
        for source in sources:
            self._collect(source)

    def _collect(self, source):
        declares = [bool(ATOMIC_DECLARATION.search(line)) for line in source.code_lines]
        for index, line in enumerate(source.code_lines):
            if not declares[index]:
                plain = re.match(r"\s*(?:static |inline |const |volatile |mutable )*[A-Za-z_][\w:<>,\s*&]*[\s*&](\w+)\s*(?:=[^=].*|\[[^]]*\]|\{.*\})?;",
                                 line)
                if plain and not re.match(r"\s*(return|using|goto|delete|typedef)\b", line):
                    self.plain.add(plain.group(1))
                    # A plain variable may be the target of an __atomic builtin.
                    if RELAXED.search(source.comment_lines[index] + source.comment_above(index)):
                        self.explained.add(plain.group(1))
                continue
            declared = re.search(r"(?:>|\batomic_flag\b)\s*([*&]?)\s*(\w+)\s*(?:\{|\[|=|;|\)|\(|,|$)", line)
            if not declared:
                continue
            pointer, name = declared.groups()
            # A pointer to atomics is plain itself; assigning it is no atomic operation.
            (self.plain if pointer else self.atomic).add(name)
            above = source.comment_above(index, lambda i: declares[i])
            if RELAXED.search(source.comment_lines[index] + above + self._comment_of_struct(source, index)):
                self.explained.add(name)

    @staticmethod
    def _comment_of_struct(source, line):
        """The comment above the innermost struct or class around a line."""
        depth = 0
        for index in range(line - 1, -1, -1):
            for character in reversed(source.code_lines[index]):
                depth += (character == "}") - (character == "{")
            if depth < 0:
                if re.search(r"\b(struct|class|union)\b", source.code_lines[index]):
                    return source.comment_lines[index] + source.comment_above(index)
                depth = 0
        return ""


def function_lines(source):
    """(first, last) lines, from 0, of every outermost block that is not a namespace, class or the like."""
    functions = []
    position, code = 0, source.code
    while (position := code.find("{", position)) != -1:
        start = max(code.rfind(character, 0, position) for character in ";{}") + 1
        header = re.sub(r"^\s*#.*$", "", code[start:position], flags=re.M)
        if CONTAINER.search(header) or not header.strip():
            position += 1
            continue
        end = matching_paren(code, position)
        first = source.line_of(start + len(code[start:position]) - len(code[start:position].lstrip()))
        functions.append((first, source.line_of(end)))
        position = end + 1
    return functions


class Checker:
    def __init__(self, source, declarations):
        self.source = source
        self.declarations = declarations
        self.functions = function_lines(source)
        self.problems = []
        self.operations = 0
        self._own_methods = {match.group("name") for match in OWN_METHOD.finditer(source.code)}
        self._atomic_lines = {source.line_of(m.start()) for m in OPERATION.finditer(source.code)}

    def complain(self, line, text):
        self.problems.append(f"{self.source.name}:{line + 1}: {text}")

    def run(self):
        code = self.source.code
        for match in OPERATION.finditer(code):
            line_start = code.rfind("\n", 0, match.start()) + 1
            if re.match(r"\s*#\s*define\b", code[line_start:]) or self._is_declaration(match):
                continue
            self.operations += 1
            self._check(match)
        self._check_operators()
        return self.problems

    def _is_declaration(self, match):
        """A function of that name being defined: a type stands before the name, or `{`/`;` with no use in between."""
        if not match.group("named"):
            return False
        before = self.source.code[:match.start()].rstrip(" ")
        return bool(re.search(r"[\w>&*]$", before)) and not re.search(r"\b(return|else|co_return)$", before)

    def _check(self, match):
        code = self.source.code
        opening = code.index("(", match.end())
        closing = matching_paren(code, opening)
        arguments = code[opening + 1:closing]
        line = self.source.line_of(match.start())
        name = re.sub(r"\W", "", match.group())

        if match.group("sync"):
            self.complain(line, f"{name}: the __sync builtins have no memory order; use chomp::atomic")
            return
        orders = orders_in(match.group() if match.group("named") else arguments)
        if not orders:
            # A class's own load() or store(), not an atomic's.
            if name in self._own_methods and self._receiver(match, arguments) not in self.declarations.atomic:
                return
            self.complain(line, f"{name}() without an explicit memory order")
            return
        orders.discard("order")
        strong = sorted(orders - {"relaxed"})
        first, last = self._statement_lines(match.start(), closing)
        near = "\n".join(self.source.comment_lines[first:last + 1])
        above = self.source.comment_above(first, lambda i: i in self._atomic_lines)
        if strong:
            if not PARTNER.search(near + above) and not self._said_before(line):
                self.complain(line, f"{name}({', '.join(strong)}) without a comment that names its partner (\"pairs with ...\")")
        elif "relaxed" in orders and not RELAXED.search(near + above):
            receiver = self._receiver(match, arguments)
            if receiver not in self.declarations.explained and not self._function_explains(line):
                self.complain(line, f"{name}(relaxed) on {receiver or 'an atomic'} is explained nowhere: say \"relaxed: ...\" "
                                    "here, in this function's comment or at the field")

    def _receiver(self, match, arguments):
        if match.group("method"):
            start = max(self.source.code.rfind(character, 0, match.start()) for character in ";{}")
            return last_name(self.source.code[start + 1:match.start()])
        return last_name(re.split(r",", arguments)[0].lstrip("&* "))

    def _statement_lines(self, position, closing):
        code = self.source.code
        start = max(code.rfind(character, 0, position) for character in ";{}") + 1
        start += len(code[start:position]) - len(code[start:position].lstrip())
        # Not past a line that a comment of its own separates: a statement starts at its first line of code.
        ends = [found for found in (code.find(character, closing) for character in ";{") if found != -1]
        last = self.source.line_of(min(ends)) if ends else self.source.line_of(closing)
        first = self.source.line_of(start)
        return first, max(last, self.source.line_of(closing))

    def _function_explains(self, line):
        for first, last in self.functions:
            if first <= line <= last:
                inside = "\n".join(self.source.comment_lines[first:last + 1])
                return bool(RELAXED.search(inside + self.source.comment_above(first)))
        return False

    def _said_before(self, line):
        """True if the function says "... here and below" before the line."""
        return any(first <= line <= last and BELOW.search("\n".join(self.source.comment_lines[first:line]))
                   for first, last in self.functions)

    def _check_operators(self):
        names = self.declarations.atomic - self.declarations.plain
        if not names:
            return
        joined = "|".join(sorted(map(re.escape, names)))
        pattern = re.compile(rf"(?:\+\+|--)\s*(?:\w+(?:\.|->))*(?:{joined})\b(?!\s*(?:\.|->|\[|\w))"
                             rf"|(?:(?:\.|->)\s*(?:{joined})|\b(?:{joined})_?)\s*(?:\+\+|--|[-+|&^]=)"
                             rf"|(?:\.|->)\s*(?:{joined})\s*=(?!=)")
        for match in pattern.finditer(self.source.code):
            self.complain(self.source.line_of(match.start()), f"`{match.group().strip()}`: an operator on an atomic is seq_cst in "
                                                              "disguise; use a method with an explicit order")


def standard_names(source):
    """Uses of the standard library's atomics by their own names."""
    if source.name == STANDARD_NAME_FILE:
        return []
    return [f"{source.name}:{source.line_of(match.start()) + 1}: {match.group()}: use {STANDARD_NAME_FILE}"
            for match in STANDARD_NAME.finditer(source.code)]


def check(sources):
    """All problems in the sources, and how many operations were looked at."""
    declarations = Declarations(sources)
    problems, operations = [], 0
    for source in sources:
        checker = Checker(source, declarations)
        problems += checker.run() + standard_names(source)
        operations += checker.operations
    return problems, operations


GOOD = r"""
struct Word {
  atomic<int> requesting_;          // relaxed: a hint, looked at again under the lock
  // relaxed: single writer
  atomic<int> created_;
  atomic<int> finished_;
  atomic<uint32_t> state_;
  atomic<uint64_t>* sleepers;
};
void make(Word* w) { w->sleepers = nullptr; }
/// Counts. The loads are relaxed: read for people.
int counts(Word& w) {
  int a = w.state_.load(std::memory_order_relaxed);
  return a + w.state_.load(std::memory_order_relaxed);
}
int f(Word* w) {
  w->state_.store(1, std::memory_order_release); // release: pairs with acquire in g()
  // acquire: pairs with the release store in f(),
  // which publishes the slot
  if (w->state_.load(std::memory_order_acquire) == 1) {
    return w->requesting_.load(std::memory_order_relaxed) + w->created_.load(std::memory_order_relaxed);
  }
  // acq_rel: pairs with itself in the thief
  int old = 0;
  bool done = w->state_.compare_exchange_strong(old, 1, std::memory_order_acq_rel, // pairs with f
                                                std::memory_order_relaxed);
  // pairs with the fence in park()
  thread_fence(std::memory_order_seq_cst);
  w->finished_.fetch_add(1, std::memory_order_relaxed);
  const char* text = "x.load() and a 'quote"; // x.store(1) in a comment
  return done ? w[0].finished_.load(std::memory_order_relaxed) : text[0];
}
template <class T> T take(atomic<T>& word, std::memory_order order) { return word.load(order); }
struct Settings { bool load(); };
bool read(Settings* settings) { return settings->load(); }
long bytes = 0; // relaxed: a statistic
void charge() { __atomic_fetch_add(&bytes, 1, __ATOMIC_RELAXED); }
void fence() {
  // seq_cst here and below: see the top of the file
  thread_fence(std::memory_order_seq_cst);

  thread_fence(std::memory_order_seq_cst);
}
"""

BAD = r"""
struct Other { atomic<int> count; atomic<int> state_; int plain; };
int f(Other& o) {
  o.state_.load();                                   // 1 no order
  o.state_.store(1, std::memory_order_release);      // 2 says nothing of the other side

  o.state_.load(std::memory_order_relaxed);          // 3 no reason

  __sync_synchronize();                              // 4
  o.count++;                                         // 5
  ++o.count;                                         // 6
  o.count = 4;                                       // 7
  o.plain = 4; o.plain++;
  if (o.count.exchange(1) == 2) return 1;            // 8 no order
  thread_fence(std::memory_order_seq_cst); // 9
  std::atomic<int> local; // 10 another name
  return 0;
}
"""


def self_test():
    problems, operations = check([Source("good.cpp", GOOD)])
    assert problems == [], "\n".join(problems)
    assert operations == 15, operations
    problems, _ = check([Source("bad.cpp", BAD)])
    expected = [index + 1 for index, line in enumerate(BAD.split("\n")) if re.search(r"// \d", line)]
    found = sorted(int(problem.split(":")[1]) for problem in problems)
    assert found == expected, f"lines {found}, expected {expected}:\n" + "\n".join(problems)
    assert last_name("a->b[i].c") == "c" and last_name("*p") == "p" and last_name("x.slots_[f(i)]") == "slots_"
    assert last_name("(*word)") == "word" and last_name("team()->counter_") == "counter_"


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("memory_order: self-test passed")
        return 0
    names = sys.argv[1:] or tree_files(*FOLDERS, suffixes=(".h", ".cpp"))
    problems, operations = check([Source.read(name) for name in names])
    print("\n".join(problems + [f"memory_order: {operations} atomic operations, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

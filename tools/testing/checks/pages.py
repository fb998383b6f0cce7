#!/usr/bin/env python3
"""Checks the pages (*.md), and what comments say about them and about files.

  - Prose has at most 120 columns. Tables, code, and a line that would fit but for one URL or link target are excepted; so
    are the results of commands (results/), which write their own pages.
  - A relative link leads to a file or folder of the tree, and an #anchor to a heading.
  - A path that begins with a folder of the root exists: in `backticks` and code blocks of pages, and in comments. `*` and
    words in capitals (NAME) stand for anything. What begins with build/ is in a folder that a preset or a tool makes.
  - A file's name in `backticks` on a page of runtime/ or schedulers/ is that of a file there.
  - `Type::member` names a member of that struct, class or enum: on pages of these folders, and in their comments.
  - A page has at most MOST_WORDS words, but for the changelog.
  - Each line of tools/laboratory/explore/weakenings.txt names a line of code.
  - A section that is cited (README.md, "Lock ranks") is a heading of that page.
  - Words that another one has replaced stay away: the table RETIRED. It holds for pages, comments and identifiers, but not
    for programs and their pages (bots/, uts/), nor for results. OWN_WORDS holds for the prose of runtime/ and schedulers/.
  - A comment of the library lists no callers by their files: nobody keeps such a list true, and `git grep` has it.

usage: tools/testing/checks/pages.py [--self-test | --fix]       --fix wraps the paragraphs that are too wide, and then checks
"""

import fnmatch
import json
import posixpath
import re
import sys

from source import CPP_SUFFIXES, ROOT, Source, tree_files

COLUMNS = 120
CODE_FOLDERS = ("runtime", "schedulers", "abi", "test")
# Folders of build/ that tools make, beside those of the presets.
BUILT_BY_TOOLS = {"bench", "conformance", "fuzz", "models", "packages", "regress", "results"}
NAMED_FILES = re.compile(r"[\w-]+\.(?:cpp|h|S|pml|def)")
NAMES_OF_OTHERS = {"omp.h"}
MOST_WORDS = 1600  # this may only shrink
WEAKENINGS = "tools/laboratory/explore/weakenings.txt"
MEMBER = re.compile(r"\b([A-Z]\w+)::(\w+)")
TYPE = re.compile(r"\b(?:struct|class|enum class|enum|union)\s+(?:alignas\([^)]*\)\s+|CHOMP_\w+\s+)?([A-Z]\w+)(?:\s+final)?\s*(:[^;{]*)?\{")

# What to look for, without case, and what is said instead. Names are looked at word by word: `hot_seat` and `hotSeat` too.
RETIRED = [
    (r"seats?|seated", "member"),
    (r"bells?", "eventcount"),
    (r"orders? to start|ordered to start", "start signal"),
    (r"become content", "withdraw_request"),
    (r"(?:un)?heard", "notified, or propagated"),
    (r"not told yet", "not notified yet"),
    (r"strangers?", "external thread, or unrelated task"),
    (r"nap(?:s|ped|ping)?", "timed wait"),
    (r"patience", "spin limit"),
    (r"k given up|given up count", "merged"),
    (r"careful(?:ly)?", "slow, and why"),
    (r"unusual(?:ly)?", "slow, and why"),
    (r"(?:placed|places|placing) tasks?|tasks? placed|publish placed", "dealt, deals, dealing: OpenMP owns \"place\""),
    (r"schedulers? (?:that )?places?|member::places", "deals"),
    (r"as new", "reset"),
]
# The same in the prose of pages of runtime/ and schedulers/, whose words are those of the glossary; code has some of them yet.
OWN_WORDS = [
    (r"(?:un)?settled?|settles", "completed, or completion pending"),
    (r"hand-?overs?", "steal, or direct hand-off"),
    (r"on offer", "public"),
    (r"takers?", "thief"),
    (r"verdicts?", "granularity control"),
    (r"crowds?", "oversubscription"),
    (r"planted bugs?", "mutant"),
]
SEPARATOR = r"(?:[\s_]|//|\*)+"
CALLERS = re.compile(rf"\b(?:called{SEPARATOR}by|callers:|used{SEPARATOR}by)[^.]*?\b[\w/]+\.(?:cpp|h)\b", re.I)


def compiled(table):
    return [(re.compile(rf"(?<![a-z])(?:{words.replace(' ', SEPARATOR)})(?![a-z])", re.I), instead) for words, instead in table]


RETIRED, OWN_WORDS = compiled(RETIRED), compiled(OWN_WORDS)
GLOSSARY = "runtime/glossary.md"

FENCE = re.compile(r"\s*(```|~~~)")
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^\[[^\]]+\]:\s+(\S+)\s*$", re.M)
CITATION = re.compile(r"(?P<page>(?:[\w.-]+/)*[\w-]+\.md)\)?`?(?P<sections>(?:[,;]\s+(?:and\s+)?\"[^\"]+\")+)")


class Page:
    """A page as lines, each with its kind: prose, heading, table or code."""

    def __init__(self, name, text):
        self.name = name
        self.lines = text.split("\n")
        self.kinds = []
        fenced = in_list = False
        before = ""
        for line in self.lines:
            kind = "prose"
            if FENCE.match(line):
                fenced = not fenced
                kind = "code"
            elif fenced:
                kind = "code"
            elif line.lstrip().startswith("|"):
                kind = "table"
            elif HEADING.match(line):
                kind = "heading"
                in_list = False
            elif line.startswith("    ") and not in_list and (not before.strip() or self.kinds[-1] == "code"):
                kind = "code"
            elif re.match(r"\s*(?:[-*+]|\d+\.)\s", line):
                in_list = True
            elif line and not line.startswith(" "):
                in_list = False
            self.kinds.append(kind)
            before = line

    def of_kind(self, *kinds):
        return [(number, line) for number, (line, kind) in enumerate(zip(self.lines, self.kinds), 1) if kind in kinds]

    def titles(self):
        return {plain(HEADING.match(line).group(1)) for _, line in self.of_kind("heading")}

    def anchors(self):
        found = {}
        for _, line in self.of_kind("heading"):
            slug = re.sub(r"[^\w\- ]", "", plain(HEADING.match(line).group(1)).lower()).replace(" ", "-")
            found[slug] = found.get(slug, -1) + 1
            if found[slug] > 0:
                found[f"{slug}-{found[slug]}"] = 0
        return set(found)


def plain(text):
    """A heading as it reads: without backticks, emphasis and link targets."""
    return re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


def pieces(text):
    """The words of a paragraph; a code span is one, and so is what would be the mark of a list at the start of a line."""
    words = []
    for word in re.sub(r"`[^`]*`", lambda match: match.group().replace(" ", "\0"), text).split():
        if words and re.fullmatch(r"[-+*|#>]+|\d+\.", word):
            words[-1] += " " + word
        else:
            words.append(word)
    return [word.replace("\0", " ") for word in words]


def wrapped(lines):
    """A paragraph or an item of a list as lines of at most COLUMNS columns."""
    first = re.match(r"\s*(?:(?:[-*+]|\d+\.)\s)?", lines[0]).group()
    done, line = [], first
    for word in pieces(" ".join([lines[0][len(first):], *lines[1:]])):
        if line not in (first, " " * len(first)) and len(line) + 1 + len(word) > COLUMNS:
            done.append(line)
            line = " " * len(first) + word
        else:
            line += ("" if line == first else " ") + word
    return [*done, line]


def with_wrapped_prose(page):
    """The page's text; paragraphs without a line that is too wide stay as they are."""
    done, block = [], []

    def end_block():
        done.extend(wrapped(block) if any(len(line) > COLUMNS for line in block) else block)
        block.clear()

    for line, kind in zip(page.lines, page.kinds):
        if kind != "prose" or not line.strip():
            end_block()
            done.append(line)
            continue
        if re.match(r"\s*(?:[-*+]|\d+\.)\s", line) or DEFINITION.match(line):
            end_block()
        block.append(line)
    end_block()
    return "\n".join(done)


class Types:
    """The structs, classes and enums of some sources, with the words of their bodies and of those that they inherit."""

    def __init__(self, sources):
        self._words, self._bases = {}, {}
        for source in sources:
            for match in TYPE.finditer(source.code):
                body = source.code[match.end():self._end(source.code, match.end())]
                self._words.setdefault(match[1], set()).update(re.findall(r"\w+", body))
                self._bases.setdefault(match[1], set()).update(re.findall(r"[A-Z]\w+", match[2] or ""))

    @staticmethod
    def _end(code, at):
        depth = 1
        for brace in re.compile(r"[{}]").finditer(code, at):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                return brace.start()
        return len(code)

    def has(self, name, member):
        """True also for a type that is not one of ours."""
        if name not in self._words:
            return True
        return member in self._words[name] or any(base in self._words and self.has(base, member) for base in self._bases[name] - {name})


class Tree:
    """What there is: files, folders, pages, folders of build/."""

    def __init__(self, names, pages, presets, types=Types(())):
        self.types = types
        self.files = set(names)
        self.folders = {name[:i] for name in names for i, letter in enumerate(name) if letter == "/"}
        self.roots = {folder for folder in self.folders if "/" not in folder}
        self.pages = {page.name: page for page in pages}
        self.builds = set(presets) | BUILT_BY_TOOLS
        self.own_names = {posixpath.basename(name) for name in names}

    def has(self, path):
        path = re.sub(r"(?<![a-z])[A-Z]{3,}(?![a-z])", "*", path) if path not in self.files else path
        path = path.rstrip("/")
        if path in self.files or path in self.folders:
            return True
        if "*" not in path:
            return False
        same_depth = (name for name in self.files | self.folders if name.count("/") == path.count("/"))
        return any(fnmatch.fnmatchcase(name, path) for name in same_depth)


def member_problems(where, text, types):
    return [f"{where}: {name} has no {member}" for name, member in MEMBER.findall(text) if not types.has(name, member)]


def length_problems(page):
    words = sum(len(line.split()) for line in page.lines)
    return [f"{page.name}:1: {words} words; at most {MOST_WORDS}"] if words > MOST_WORDS and page.name != "CHANGELOG.md" else []


def width_problems(page):
    if "/results/" in page.name:
        return []
    problems = []
    for number, line in page.of_kind("prose", "heading"):
        excuses = re.findall(r"https?://\S+|\]\([^)]*\)", line)
        if len(line) > COLUMNS and not any(len(line) - len(excuse) <= COLUMNS for excuse in excuses):
            problems.append(f"{page.name}:{number}: {len(line)} columns; prose wraps at {COLUMNS}")
    return problems


def link_problems(page, tree):
    shown = "\n".join(line if kind != "code" else "" for line, kind in zip(page.lines, page.kinds))
    bare = re.sub(r"`[^`]*`", lambda match: "``" + "\n" * match.group().count("\n"), shown)
    problems = []
    for match in [*LINK.finditer(bare), *DEFINITION.finditer(bare)]:
        target, number = match.group(1), bare.count("\n", 0, match.start(1)) + 1
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page.name), path)) if path else page.name
        if name not in tree.files and name not in tree.folders:
            problems.append(f"{page.name}:{number}: the link {target} leads nowhere")
        elif anchor and (name not in tree.pages or anchor not in tree.pages[name].anchors()):
            problems.append(f"{page.name}:{number}: {name} has no heading for #{anchor}")
    return problems


def paths_in(text, tree):
    """What looks like a path from the root, as far as it can be looked up."""
    roots = "|".join(sorted(map(re.escape, tree.roots | {"build"}), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w./$~}}>…%-])(?<!--output )(?:\./)?((?:{roots})/[\w./*+-]*)(?![\w<{{%$…])", text):
        path = match.group(1).rstrip(".")
        if path.count("/") > 1 or path.endswith("/") or "." in path or "*" in path or match.group(1).startswith(("build/", "tools/", "test/")):
            yield path


def path_problems(where, text, tree):
    problems = []
    for path in paths_in(text, tree):
        if path.startswith("build/"):
            folder = path.split("/")[1]
            if folder and folder != "*" and folder not in tree.builds and not re.fullmatch(r"[A-Z]+", folder):
                problems.append(f"{where}: nothing makes {path}; under build/ are {', '.join(sorted(tree.builds))}")
        elif not tree.has(path):
            problems.append(f"{where}: {path} does not exist")
    return problems


def page_path_problems(page, tree):
    problems = []
    for number, line in page.of_kind("prose", "heading", "table"):
        for span in re.findall(r"`([^`]+)`", line):
            problems += path_problems(f"{page.name}:{number}", span, tree)
            if page.name.startswith(("runtime/", "schedulers/")) and NAMED_FILES.fullmatch(span):
                if span not in tree.own_names and span not in NAMES_OF_OTHERS:
                    problems.append(f"{page.name}:{number}: there is no file {span}")
    if "/results/" not in page.name:
        for number, line in page.of_kind("code"):
            problems += path_problems(f"{page.name}:{number}", line, tree)
    return problems


def citation_problems(name, text, tree):
    """`text`: a page, or the comments of a file; lines count."""
    text = re.sub(r"\n[ \t]*(?://[/!]?|\*)?", lambda match: "\n" + " " * (len(match.group()) - 1), text)
    problems = []
    for match in CITATION.finditer(text):
        cited = match.group("page")
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), cited))
        page = tree.pages.get(cited if "/" in cited else beside) or tree.pages.get(beside) or tree.pages.get(cited)
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        if page is None:
            problems.append(f"{where}: there is no page {cited}")
            continue
        for section in re.findall(r'"([^"]+)"', match.group("sections")):
            if " ".join(section.split()) not in page.titles():
                problems.append(f"{where}: {page.name} has no section \"{' '.join(section.split())}\"")
    return problems


def word_problems(name, text, table=None):
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)  # hotSeat: hot_Seat
    problems = []
    for pattern, instead in table or RETIRED:
        problems += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: \"{' '.join(match.group().split())}\" is retired: {instead}"
                     for match in pattern.finditer(text)]
    return problems


def check_page(page, tree):
    problems = width_problems(page) + length_problems(page) + link_problems(page, tree) + page_path_problems(page, tree)
    text = "\n".join(page.lines)
    if page.name.startswith(("runtime/", "schedulers/", "abi/")):
        for number, line in enumerate(page.lines, 1):
            problems += member_problems(f"{page.name}:{number}", line, tree.types)
    problems += citation_problems(page.name, text, tree)
    if page.name.startswith(("runtime/", "schedulers/")) and page.name != GLOSSARY:
        prose = "\n".join(line if kind != "code" else "" for line, kind in zip(page.lines, page.kinds))
        problems += word_problems(page.name, re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose), OWN_WORDS)
    if not page.name.startswith(("bots/", "uts/")) and "/results/" not in page.name:
        problems += word_problems(page.name, text)
    return problems


def caller_problems(name, comments):
    return [f"{name}:{comments.count(chr(10), 0, match.start()) + 1}: a list of callers: {' '.join(match.group().replace('//', ' ').split())}"
            for match in CALLERS.finditer(comments)]


def check_source(source, tree):
    problems = citation_problems(source.name, source.comments, tree)
    if source.name.startswith(("runtime/", "schedulers/", "abi/")):
        problems += caller_problems(source.name, source.comments)
    for number, line in enumerate(source.comment_lines, 1):
        problems += path_problems(f"{source.name}:{number}", line, tree)
        problems += member_problems(f"{source.name}:{number}", line, tree.types)
    if not source.name.startswith("test/") or source.name.startswith("test/model/"):
        code = re.sub(r"^[ \t]*#[ \t]*include.*$", "", source.code, flags=re.M)
        problems += word_problems(source.name, source.comments) + word_problems(source.name, code)
    return problems


def weakening_problems(lines, text_of):
    """`lines`: FILE:TEXT[:acquire or :release], as in tools/laboratory/explore/weakenings.txt; TEXT is in one line of FILE."""
    problems = []
    for number, line in enumerate(lines, 1):
        name, _, where = re.sub(r":(?:acquire|release)$", "", line.strip()).partition(":")
        found = sum(where in one for one in text_of(name).splitlines())
        if name and not name.startswith("#") and found != 1:
            problems.append(f"{WEAKENINGS}:{number}: this text is in {found} lines of {name}")
    return problems


def presets():
    file = ROOT / "CMakePresets.json"
    found = json.loads(file.read_text())["configurePresets"] if file.exists() else []
    return [preset["name"] for preset in found if not preset.get("hidden")]


def self_test():
    texts = {
        "README.md": "# Top\n\n## Lock ranks\n\n## `a.h`: b\n\nSee [the other](runtime/README.md#lock-ranks), [a](#ah-b), [c](runtime).\n",
        "runtime/README.md": "# R\n\n## Lock ranks\n\n`worker.cpp`, `runtime/core/*.cpp`, `build/release/lib`, `schedulers/NAME.cpp`.\n"
                             "`runtime/core/worker.cpp`, \"Lock ranks\" of README.md, \"Lock ranks\".\n\n| " + "x" * 130 + " |\n\n"
                             "    " + "y" * 130 + "\n\n" + "z " * 50 + "[z](https://doi.org/" + "q" * 40 + ")\n",
        "runtime/core/worker.cpp": "", "schedulers/lifo.cpp": "",
    }
    good = [Page(name, text) for name, text in texts.items() if name.endswith(".md")]
    types = Types([Source("a.h", "struct Base { int low; };\nstruct Team final : Base {\n  struct Line { int go; };\n  int members; // absent\n};\n")])
    tree = Tree(texts, good, ["release"], types)
    for page in good:
        assert not check_page(page, tree), check_page(page, tree)
    bad = {
        "w" * 60 + " " + "w" * 60: "columns",
        "See [it](nowhere.md).": "leads nowhere",
        "See [it,\nwhich is there](nowhere.md).": "leads nowhere",
        "See [it](README.md#no-such).": "no heading",
        "See [it](#no-such).": "no heading",
        "`runtime/core/none.cpp`": "does not exist",
        "`runtime/none/*.cpp`": "does not exist",
        "`none.cpp`": "no file", "`Team::absent`": "has no", "word\n" * (MOST_WORDS + 1): "words",
        "`LD_PRELOAD=build/lib/libomp.so`": "nothing makes",
        "    build/bin/uts -T T3": "nothing makes",
        "README.md, \"Lock\nranks of all\"": "no section",
        "Each seat has one.": "retired", "An order\nto start.": "retired", "`hot_seat`": "retired", "`hotSeat`": "retired",
        "It naps.": "retired", "A hand-over\ncosts.": "retired", "kUnsettled": "retired", "placed tasks": "retired",
    }
    for text, what in bad.items():
        problems = check_page(Page("runtime/README.md", "\n" + text + "\n"), tree)
        assert len(problems) == 1 and what in problems[0], (text, problems)
    for text in ("`Team::members`, `Team::low`, `Line::go`, `Other::thing`", "snapshot, unseated", "OpenMP's places", "`omp.h`", "`a/b.cpp`", "`a hand-over`", "in order to end", "[x](https://doi.org)", "`and/or`"):
        problems = check_page(Page("runtime/README.md", text + "\n"), tree)
        assert not problems or "unseated" in text, (text, problems)
    wide = "- " + "word " * 30 + "`a code span` - end\n  of the item\n\n" + "| " + "x" * 130 + "\n"
    narrow = with_wrapped_prose(Page("a.md", wide)).split("\n")
    assert narrow[1].startswith("  word ") and narrow[1].endswith("`a code span` - end of the item"), narrow
    assert narrow[2:] == wide.split("\n")[2:] and max(map(len, narrow[:2])) <= COLUMNS, narrow
    code = Source("runtime/core/a.cpp", '// Proof: runtime/README.md, "Lock\n// ranks"; see runtime/core/worker.cpp.\nint member = 0; // runtime/x.h\n'
                                        'int seat_of(); const char* said = "seat";\n// Called by the owner. Called\n// by core/b.cpp.\n')
    weak = weakening_problems(["# a", "a.h:store(1:release", "a.h:load(", "a.h:swap("], lambda name: "store(1);\nload();\nload();\n")
    assert [problem.split(":")[1] for problem in weak] == ["3", "4"], weak
    found = [problem.split(": ")[0] for problem in check_source(code, tree)]
    assert found == ["runtime/core/a.cpp:5", "runtime/core/a.cpp:3", "runtime/core/a.cpp:4"], check_source(code, tree)


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("pages: self-test passed")
        return 0
    names = tree_files()
    if "--fix" in sys.argv[1:]:
        for name in names:
            if name.endswith(".md") and "/results/" not in name:
                (ROOT / name).write_text(with_wrapped_prose(Page(name, (ROOT / name).read_text())))
    pages = [Page(name, (ROOT / name).read_text()) for name in names if name.endswith(".md")]
    sources = [Source.read(name) for name in tree_files(*CODE_FOLDERS, suffixes=(*CPP_SUFFIXES, ".pml", ".inc"))]
    tree = Tree(names, pages, presets(), Types(source for source in sources if not source.name.startswith("test/")))
    problems = []
    for page in pages:
        problems += check_page(page, tree)
    for source in sources:
        problems += check_source(source, tree)
    if (ROOT / WEAKENINGS).exists():
        problems += weakening_problems((ROOT / WEAKENINGS).read_text().splitlines(),
                                       lambda name: (ROOT / name).read_text() if name in tree.files else "")
    print("\n".join(problems + [f"pages: {len(pages)} pages, {len(sources)} files, {len(problems)} problem(s)"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""The settings for users: libchomp(7), and the lists of tools/docs/settings.md. Names, kinds of value, bounds and words
come from the table that the library reads, runtime/config/settings_table.cpp. And chomp.h(3), from the header.

    manual.py FOLDER VERSION     writes the manual pages, chomp(1) with what --help says; a part of each build
"""

import re
import sys
import textwrap
from pathlib import Path

FIRST = ("CHOMP_", "OMP_", "KMP_", "GOMP_", "LIBOMP_")
MADE = "<!-- From here on: made by tools/package manual, from runtime/config/settings_table.cpp. -->"


def rows(text):
    """Per variable its kind: {name: words, or None where the value does not matter}."""
    found = {}
    lists = {name: re.findall(r'\{"([^"]+)", (.*?)\}', body)
             for name, body in re.findall(r"constexpr NamedValue (\w+)\[\] = \{(.*?)\n?\};", text, re.S)}

    def words_of(listed):
        seen, words = set(), []
        for word, value in lists[listed]:  # several names may stand for one value: the first is shown
            if value not in seen:
                words.append(word)
            seen.add(value)
        return ", ".join(words[:-1]) + " or " + words[-1]

    table = text[text.index("constexpr Setting kTable[]"):]
    table = re.sub(r"(?m)//.*$", "", table[:table.index("\n};")])
    table = re.sub(r'"\s*\n\s*"', "", table)
    for kind, arguments in re.findall(r'\n    (boolean|integer|choice|without_effect)\((.*?)\),', table, re.S):
        parts = [part.strip() for part in arguments.split(",")]
        name = parts[0].strip('"')
        if kind == "boolean":
            found[name] = "true or false"
        elif kind == "integer":
            found[name] = f"a whole number from {parts[2]}" + (f" to {parts[3]}" if len(parts) > 3 else "")
        elif kind == "choice":
            found[name] = words_of(parts[2])
        else:
            found[name] = None
    for row in re.findall(r'\n    (\{\.name = .*?\}),(?=\s*\n|\s*$)', table, re.S):
        name = re.search(r'\.name = "(\w+)"', row).group(1)
        takes = re.search(r'\.takes = "([^"]*)"', row)
        names = re.search(r"\.names = (\w+)", row)
        found[name] = takes.group(1) if takes else words_of(names.group(1)) if names else "" if ".parse" in row else None
    return found


def described(text):
    """{name: (what it does, default)}, from the words after `///` above a row; `/// NAME: words` is a variable without row."""
    found = {}
    for words, row in re.findall(r"((?:^ *///.*\n)+)(?: *//.*\n)*(.*)", text[text.index("constexpr Setting kTable[]"):], re.M):
        words = " ".join(re.sub(r"^ *///", "", words, flags=re.M).split())
        name = re.match(r'    (?:\w+\(|\{\.name = )"(\w+)"', row)
        if not name:
            name = re.match(r"([A-Z_]+): ", words)
            words = words[name.end():] if name else ""
        what, _, default = words.partition(". Default: ")
        if words:
            found[name[1]] = (what, default)
    return found


def first_small(words):
    return words if words[1].isupper() else words[0].lower() + words[1:]


def settings_page(root):
    """tools/docs/settings.md, with its lists made anew; what is above them is written by hand."""
    text = (root / "runtime/config/settings_table.cpp").read_text(encoding="utf-8")
    names, words = rows(text), described(text)
    page_ = root / "tools" / "docs" / "settings.md"
    lines = [page_.read_text(encoding="utf-8").partition(MADE)[0] + MADE, ""]

    def described_list(title, wanted):
        lines.extend([f"## {title}", ""])
        for name in sorted(filter(wanted, words), key=lambda name: next((i for i, first in enumerate(FIRST) if name.startswith(first)), 9)):
            what, default = words[name]
            lines.extend(textwrap.wrap(f"- `{name}`: {first_small(what)}" + f". Default: {default}" * bool(default), 120, subsequent_indent="  ",
                                       break_long_words=False, break_on_hyphens=False))
        lines.append("")

    def listed(title, wanted):
        some = ", ".join(f"`{name}`" for name in sorted(names) if wanted(name))
        lines.extend([*textwrap.wrap(f"{title} {some}.", 120, break_long_words=False, break_on_hyphens=False), ""])

    own = ("CHOMP_", "HWLOC_")
    people_set = [name for name in words if not name.startswith(own) and words[name][1] and (name.startswith("OMP_") or name == "KMP_BLOCKTIME")]
    described_list("chomp's own", lambda name: name.startswith(own))
    described_list("The ones that people set", lambda name: name in people_set)
    lines.extend(["## The others", ""])
    listed("What these do, and what each setting takes, says `man libchomp`:",
           lambda name: name in words and not name.startswith(own) and name not in people_set)
    listed("**Read and checked, and shown where that is asked for; nothing depends on them:**",
           lambda name: names[name] is not None and name not in words)
    lines.extend(["Those that speak of what only libomp has inside are accepted, whatever the value; `man libchomp` names them.", ""])
    return "\n".join(lines)


def roff(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def page(root, version):
    table = (root / "runtime/config/settings_table.cpp").read_text(encoding="utf-8")
    names, prose = rows(table), described(table)
    text = [f'.TH LIBCHOMP 7 "" "chomp {version}" "Miscellaneous Information"', ".SH NAME",
            "libchomp \\- environment variables of the chomp OpenMP runtime", ".SH DESCRIPTION",
            "The library, called", ".BR libomp.so ,", "takes the place of LLVM's, Intel's and GCC's OpenMP runtime. The variables of",
            "LLVM's mean what they mean there. A bad value gives one warning, a hint at what is valid, and the default. Unknown",
            "names are silent, but for those that begin with", ".BR CHOMP_ .", "An empty value counts as not set.", ".B KMP_",
            "wins over", ".BR GOMP_ ,", "and that over", ".BR OMP_ .", ".B OMP_DISPLAY_ENV=verbose", "prints what is in force.",
            ".PP", "The library is a provider of ALPI 1.2, by which Task\\-Aware MPI stops tasks that wait for messages:",
            ".BR <chomp/alpi.h> ."]
    titles = {"CHOMP_": "CHOMP'S OWN", "OMP_": "OPENMP'S", "KMP_": "LLVM'S AND INTEL'S", "GOMP_": "GCC'S"}
    for prefix, title in titles.items():
        text.append(f'.SH "{title}"')
        for name in sorted(names):
            if not name.startswith(prefix) or names[name] is None:
                continue
            what, default = prose.get(name, ("", ""))
            text += [".TP", f".B {name}"]
            sentences = [what] if what else ["Read and checked; nothing depends on it"]
            if names[name] and names[name].split(",")[0] not in what:
                sentences.append(f"Takes {names[name]}")
            if default:
                sentences.append(f"Default: {default}")
            text.append(roff(". ".join(sentence[0].upper() + sentence[1:] if not sentence.startswith("`") else sentence
                                       for sentence in sentences) + "."))
    others = sorted(name for name in prose if not name.startswith(tuple(titles)))
    text.append('.SH "OTHERS\'"')
    for name in others:
        text += [".TP", f".B {name}", roff(f"{prose[name][0][0].upper()}{prose[name][0][1:]}. Default: {prose[name][1]}.")]
    accepted = sorted(name for name in names if names[name] is None)
    text += [".SH ACCEPTED", "Taken, whatever the value, since they speak of what only LLVM's library has inside:",
             roff(", ".join(accepted) + ".")]
    text += [".SH SEE ALSO", ".BR chomp (1),", ".BR chomp.h (3)"]
    return "\n".join(text) + "\n"


def header_page(root, version):
    """chomp.h(3): the comments and declarations of the header, in its order."""
    text = (root / "abi/chomp.h").read_text(encoding="utf-8")
    intro = re.match(r"/\* chomp\.h: (.*?)\*/", text, re.S).group(1)
    body = text[text.index("/* ---- Version"):text.index("#ifdef __cplusplus\n}")]
    lines = [f'.TH CHOMP.H 3 "" "chomp {version}" "Library Functions"', ".SH NAME",
             "chomp.h \\- what a program can ask of the chomp OpenMP runtime", ".SH SYNOPSIS", ".B #include <chomp.h>", ".SH DESCRIPTION"]

    def prose(comment):
        for block in re.split(r"\n \*\n", comment):
            rows_ = [re.sub(r"^ \* ?", "", row) for row in block.split("\n")]
            if all(row.startswith("    ") or not row.strip() for row in rows_):
                lines.extend([".PP", ".nf", *(roff(row) for row in rows_), ".fi"])
            else:
                lines.extend([".PP", *(roff(row.strip()) for row in rows_ if row.strip())])

    prose(intro)
    for comment, declarations in re.findall(r"/\*((?:(?!\*/).)*)\*/\n((?:(?!/\*).|/\*(?=[^\n]*\*/\n(?:  |\}))).*?)?(?=\n/\*|\Z)", body, re.S):
        title = re.fullmatch(r" -+ (.*?) -+ ", comment)
        if title:
            lines.append(f'.SH "{title.group(1).upper()}"')
        else:
            prose(comment.strip())
        code = declarations.strip("\n").replace("CHOMP_DECLARE ", "")
        if code.strip():
            lines.extend([".PP", ".nf", *(roff(row) for row in code.split("\n")), ".fi"])
    return "\n".join(lines + [".SH SEE ALSO", ".BR chomp (1),", ".BR libchomp (7)"]) + "\n"


def command_page(root, _):
    """chomp(1): written by hand, but for what each command says with --help, which the sources of the command have."""
    said = ""
    for file in sorted((root / "tools/shipped/chomp").glob("*.c")):
        for literal in re.findall(r'\w*usage\[\] =\s*((?:"(?:[^"\\]|\\.)*"\s*)+);', file.read_text(encoding="utf-8")):
            words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace("\\n", "\n").replace('\\"', '"')
            name = re.match(r"usage: (chomp [\w-]+)", words)[1]
            if name != "chomp info" or "\n       chomp" not in words:  # the list of commands is the synopsis
                lines = [roff(re.sub("^(usage: | {7})(?=chomp )", "", row)) for row in words.rstrip("\n").split("\n")]
                said += "\n".join([f'.SS "{roff(name)}"', ".nf", *lines, ".fi", ""])
    page_, mark = (root / "tools/shipped/chomp/chomp.1").read_text(encoding="utf-8"), ".SH EXIT STATUS\n"
    return page_.replace(mark, said + mark)


if __name__ == "__main__":
    tree, folder = Path(__file__).resolve().parents[3], Path(sys.argv[1])
    for name, written in (("chomp.1", command_page), ("libchomp.7", page), ("chomp.h.3", header_page)):
        (folder / name).write_text(written(tree, sys.argv[2]), encoding="utf-8")

"""Reading C++ for the style checks: which files, and a file split into code and comments without losing positions."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from common import ROOT, source_files  # noqa: E402, F401

CPP_SUFFIXES = (".h", ".c", ".cpp", ".S")


def tree_files(*folders, suffixes=None):
    """Paths, relative to the root, of the files git knows or would add; restricted to folders and suffixes if given."""
    wanted = []
    for name in sorted(set(source_files())):
        if folders and not name.startswith(tuple(f + "/" for f in folders)):
            continue
        if suffixes and not name.endswith(tuple(suffixes)):
            continue
        wanted.append(name)
    return wanted


_TOKEN = re.compile(
    r"""(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
      | (?P<raw>R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)")
      | (?P<string>"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*')""",
    re.S | re.X)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The same code, without comments and empty lines."""
    code = _TOKEN.sub(lambda token: " " if token.group("comment") else token.group(), text)
    return "\n".join(line.rstrip() for line in code.split("\n") if line.strip())


class Source:
    """A C++ file as two texts of the same length: `code` (comments and strings blanked) and `comments` (all else blanked)."""

    def __init__(self, name, text):
        self.name = name
        self.text = text
        code, comments, last = [], [], 0
        for token in _TOKEN.finditer(text):
            between = text[last:token.start()]
            code.append(between)
            comments.append(_blank(between))
            code.append(_blank(token.group()))
            comments.append(token.group() if token.group("comment") else _blank(token.group()))
            last = token.end()
        code.append(text[last:])
        comments.append(_blank(text[last:]))
        self.code = "".join(code)
        self.comments = "".join(comments)
        self.code_lines = self.code.split("\n")
        self.comment_lines = self.comments.split("\n")
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    @classmethod
    def read(cls, name):
        return cls(name, (ROOT / name).read_text(errors="replace"))

    def line_of(self, position):
        """Index, from 0, of the line that holds a position."""
        low, high = 0, len(self._starts) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._starts[middle] <= position else (low, middle)
        return low

    def comment_above(self, line, passes_over=lambda line: False):
        """The comment block that ends just above a line (index from 0). Goes over lines that passes_over accepts."""
        block = []
        line -= 1
        while line >= 0:
            has_comment = self.comment_lines[line].strip() != ""
            has_code = self.code_lines[line].strip() != ""
            if has_code and not passes_over(line):
                break
            if not has_code and not has_comment:
                break
            block.append(self.comment_lines[line])
            line -= 1
        return "\n".join(reversed(block))


def matching_paren(code, opening):
    """Position of the bracket that closes the one at `opening`, or the end of the text."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    closing = pairs[code[opening]]
    depth = 0
    for position in range(opening, len(code)):
        if code[position] == code[opening]:
            depth += 1
        elif code[position] == closing:
            depth -= 1
            if depth == 0:
                return position
    return len(code) - 1

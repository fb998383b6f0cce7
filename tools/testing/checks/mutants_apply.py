#!/usr/bin/env python3
"""Checks that each mutant of test/mutants and each recipe of test/recipes still applies to the tree, and that pages name only those that exist. A change of a line that a
mutant stands on changes the patch too. Whether each is found, `tools/explore --mutants` says (tools/check --all), for
those of lit/ `tools/check mutants`.

usage: tools/testing/checks/mutants_apply.py [--self-test]
"""

import re
import sys

from source import ROOT

sys.path.append(str(ROOT / "tools" / "lib"))
import mutants  # noqa: E402


def named(text):
    return re.findall(r"\bmutant\s+`(\w+)`", text)


def main():
    everything = mutants.names("lit") + mutants.names()
    if sys.argv[1:] == ["--self-test"]:
        assert all(mutants.files_of(name) for name in everything) and mutants.names()
        assert named("at once [`x.pml`; mutant\n`a_b`]; a mutant c") == ["a_b"]
        return 0
    problems = [f"mutant {name}: {why}" for name in everything if (why := mutants.apply(mutants.patches()[name], "--check"))]
    recipes = sorted((ROOT / "test" / "recipes").glob("*.patch"))
    problems += [f"{patch.relative_to(ROOT)}: {why}" for patch in recipes if (why := mutants.apply(patch.read_text(), "--check"))]
    problems += [f"{page.relative_to(ROOT)}: there is no mutant {name}" for page in (ROOT / "runtime").rglob("*.md")
                 for name in named(page.read_text()) if name not in everything]
    print(*problems, f"mutants: {len(everything)} mutants, {len(recipes)} recipes, {len(problems)} problem(s)", sep="\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())

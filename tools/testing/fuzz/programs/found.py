"""What was found is kept as a program of its own, in the form of a test of test/regression."""

import re

from programs.running import ROOT
from programs.source import whole

FOUND = ROOT / "build" / "fuzz" / "found"
REGRESSION = ROOT / "test" / "regression"


def suffix(language):
    return {"c": ".c", "c++": ".cpp", "fortran": ".F90"}[language]


def comment(language):
    return "!" if language == "fortran" else "//"


def run_line(config, settings, roots, language):
    compiler = {("clang", "c"): "%clang-openmp", ("clang", "c++"): "%clangxx-openmp", ("gcc", "c"): "%gcc-openmp",
                ("gcc", "c++"): "%gxx-openmp", ("gfortran", "fortran"): "%gfortran-openmp -ffree-line-length-none",
                ("flang", "fortran"): "%flang-openmp"}[config.compiler.family, language]
    words = " ".join(f"'{name}={value}'" if not value.isalnum() else f"{name}={value}" for name, value in settings.items())
    warnings = "" if language == "fortran" else "-w "
    return f"{comment(language)} RUN: {compiler} {warnings}{config.level} %s -o %t -latomic -lm && env {words} %chomp-run %t -r {roots}"


def keep(folder, seed, tree, language, config, settings, roots, report):
    """Writes the program; returns its file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"program-{seed}{suffix(language)}"
    mark = comment(language)
    header = [f"{mark} (The person who adds this test says here what was wrong, in a sentence or two.)", run_line(config, settings, roots, language)]
    needs = {"gcc": "gomp" + ("-cxx" if language == "c++" else ""), "gfortran": "gfortran, gomp", "flang": "flang"}.get(config.compiler.family)
    if needs:
        header.append(f"{mark} REQUIRES: {needs}")
    header += [f"{mark} FUZZ: {line}" for line in report]
    path.write_text("\n".join([*header, whole([("p" + str(seed).replace("-", "_"), tree)], language)]))
    return path


def add(path, name):
    """Makes a test of it, for a person to finish."""
    text = "".join(line for line in path.read_text().splitlines(True) if not line.startswith(("// FUZZ: ", "! FUZZ: ")))
    if not re.fullmatch(r"[a-z][a-z0-9_]+", name):
        raise ValueError(f"{name}: a test is named by the property that was broken, like barrier_releases_after_resize")
    target = REGRESSION / (name + path.suffix)
    target.write_text(text)
    return target

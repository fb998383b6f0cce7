"""The pages as a static site, by mkdocs: the README, the user's guide of tools/docs, the pages they link to, the manual
pages. Links are checked: `mkdocs build --strict`, on a copy of the pages that has the tree's own layout, so that a link
that works in the tree works on the site."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, die, say, source_files

GUIDE = [("Install and use", "install"), ("Settings", "settings"), ("Threads and places", "threads"), ("When it is slow", "slow"),
         ("Troubleshooting", "troubleshooting"), ("Races", "races"), ("OMPT tools", "tools"), ("Measured", "measured")]
MANUALS = [("chomp(1)", "tools/shipped/chomp/chomp.1"), ("libchomp(7)", "tools/shipped/chomp/libchomp.7"), ("chomp.h(3)", "tools/shipped/chomp/chomp.h.3")]
LINK = re.compile(r"\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")


def find_mkdocs():
    for program in (ROOT / ".venv" / "bin" / "mkdocs", Path(sys.executable).parent / "mkdocs", shutil.which("mkdocs")):
        if program is not None and Path(program).exists():
            return str(program)
    return None


def page_of_target(page, target):
    """What a link of a page leads to on the site: a folder's page is its README; a file that is no page has no link there."""
    path = (ROOT / page).parent / target
    if path.is_dir():
        return target.rstrip("/") + "/README.md" if (path / "README.md").exists() else None
    return target if path.suffix in (".md", ".svg", ".png") else None


def copy_page(name, folder, known):
    """Copies a page, with links to folders turned into links to their pages, and links to sources into text."""
    def rewrite(match):
        target, anchor = match.groups()
        if re.match(r"\w+:", target):
            return match.group()
        path = (ROOT / name).parent / target
        if not path.exists():
            die(f"{name}: no {target}")
        found = page_of_target(name, target)
        real = ((ROOT / name).parent / (found or target)).resolve().relative_to(ROOT)
        return f"]({found}{anchor})" if found and str(real) in known else "](#)"
    text = LINK.sub(rewrite, (ROOT / name).read_text())
    text = re.sub(r"\[([^\]]*)\]\(#\)", r"\1", text)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def manual_as_page(source):
    """A manual page as mandoc or nroff print it."""
    done = subprocess.run(["nroff", "-man", "-c", source], cwd=ROOT, capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "GROFF_NO_SGR": "1"})
    plain = re.sub(r".\x08", "", done.stdout)
    return f"# {Path(source).name}\n\n```text\n{plain.strip()}\n```\n"


def configuration(manuals):
    lines = ["site_name: chomp", "docs_dir: pages", "theme:", "  name: readthedocs", "  highlightjs: false", "strict: true",
             "use_directory_urls: false", "validation:", "  links:", "    not_found: warn", "    anchors: warn", "    unrecognized_links: warn",
             "  nav:", "    omitted_files: ignore", "nav:", "  - chomp: README.md", "  - User's guide:"]
    lines += [f"    - {title}: tools/docs/{name}.md" for title, name in GUIDE]
    lines += ["  - Manual pages:"] * bool(manuals) + [f'    - "{title}": {page}' for title, page in manuals]
    lines += ["  - Schedulers: schedulers/README.md", "  - Changes: CHANGELOG.md", "  - Contributing: CONTRIBUTING.md"]
    return "\n".join(lines) + "\n"


def make(output):
    mkdocs = find_mkdocs() or die("no mkdocs: pip install mkdocs into .venv")
    missing = {path.stem for path in (ROOT / "tools" / "docs").glob("*.md")} ^ {name for _, name in GUIDE}
    if missing:
        die(f"the guide and tools/docs differ in {', '.join(sorted(missing))}: see GUIDE in {Path(__file__).name}")
    files = source_files()
    pages = {name for name in files if name.endswith(".md") and not name.startswith("test/")} | {"test/README.md"}
    known = pages | {name for name in files if name.endswith((".svg", ".png"))}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pages"
        for name in sorted(known):
            if name in pages:
                copy_page(name, folder, known)
            else:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        manuals = [(title, f"manual/{Path(source).name}.md") for title, source in MANUALS] if shutil.which("nroff") else []
        for (_, page), (_, source) in zip(manuals, MANUALS):
            (folder / page).parent.mkdir(exist_ok=True)
            (folder / page).write_text(manual_as_page(source))
        (Path(scratch) / "mkdocs.yml").write_text(configuration(manuals))
        done = subprocess.run([mkdocs, "build", "--strict", "--config-file", f"{scratch}/mkdocs.yml", "--site-dir", output.resolve()],
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        die(f"mkdocs is not content:\n{done.stdout}{done.stderr}")
    say(f"{output}: {len(pages)} pages, every link leads somewhere")

"""Debian packages: libchomp1, with libchomp1-dbgsym, libchomp-dev, chomp-tools, by dpkg-buildpackage from the recipe in debian/."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from common import ROOT, die, say, source_files

HERE = Path(__file__).resolve().parent
NEEDED = {"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "fakeroot": "fakeroot"}


def sources(folder):
    """A copy of the tree without what was built."""
    for name in source_files(ROOT):
        source = ROOT / name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / name)


def recipe(folder, version, maintainer):
    shutil.copytree(HERE / "debian", folder / "debian")
    control = folder / "debian" / "control"
    control.write_text(control.read_text().replace("@MAINTAINER@", maintainer))
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    (folder / "debian" / "changelog").write_text(
        f"chomp ({version}) unstable; urgency=medium\n\n  * Built from the sources of this version; CHANGELOG.md says what is new.\n\n"
        f" -- {maintainer}  {date}\n")


def check(packages):
    """By lintian: errors are refused. Whether lintian is here."""
    if shutil.which("lintian") is None:
        return False
    done = subprocess.run(["lintian", "--fail-on", "error", "--tag-display-limit", "0", *packages], capture_output=True,
                          text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        die("lintian finds errors")
    return True


def make(version, output, maintainer):
    missing = [package for command, package in NEEDED.items() if shutil.which(command) is None]
    if missing:
        die(f"Debian packages need {', '.join(missing)}")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output) as scratch:
        folder = Path(scratch) / f"chomp-{version}"
        sources(folder)
        recipe(folder, version, maintainer)
        log = output / "debian.log"
        with log.open("w") as text:
            done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=folder, stdout=text, stderr=text, check=False)
        if done.returncode != 0:
            die(f"dpkg-buildpackage fails: {log}")
        packages = []
        for file in sorted(Path(scratch).glob("*.deb")):
            if "-dbgsym" not in file.name or file.name.startswith("libchomp1-"):
                packages.append(shutil.move(file, output / file.name))
    checked = check(packages)
    for file in packages:
        say(str(file))
    return checked

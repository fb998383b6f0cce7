"""What lets others trust a release: a second build that is the same, signed sums, an ABI that has not shrunk. release.py says when."""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "lib"))
from common import ROOT, die, say  # noqa: E402

KINDS = ("*.whl", "*.deb", "*.tar.xz")
# abidiff's exit status (abidiff(1)): a sum of these.
ABI_ERROR, ABI_CHANGE, ABI_BREAK = 1 | 2, 4, 8


def artefacts(output):
    return sorted(file for kind in KINDS for file in output.glob(kind))


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def write_sums(output):
    """SHA256SUMS, as sha256sum --check reads it."""
    lines = [f"{sha256(file)}  {file.name}\n" for file in [*artefacts(output), *output.glob("*.spdx.json")]]
    (output / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


# ---- The same build again --------------------------------------------------------------------------------------------


def copy_of(commit, folder):
    """The files of a commit, without its history."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)


def different(first, second):
    """The names of the artefacts of `second` that `first` lacks or has with another content."""
    files = artefacts(second)
    return [file.name for file in files if not (first / file.name).exists() or sha256(file) != sha256(first / file.name)]


@contextlib.contextmanager
def settings(**variables):
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def empty_caches(scratch):
    """Compilers find nothing of earlier builds; builds below `scratch` may still share what they compile."""
    return settings(CCACHE_DIR=f"{scratch}/ccache", CCACHE_BASEDIR=str(scratch), ZIG_GLOBAL_CACHE_DIR=f"{scratch}/zig",
                    ZIG_LOCAL_CACHE_DIR=f"{scratch}/zig")


def reproduce(output, make):
    """Builds again what `make(tree, folder)` builds, from a copy of the commit at another path, and without what compilers
    have cached. Dies unless each file is bit by bit the same; returns how many there are."""
    with tempfile.TemporaryDirectory(prefix="chomp-again-") as scratch:
        tree, again = Path(scratch) / "a" / "longer" / "path", Path(scratch) / "packages"
        copy_of("HEAD", tree)
        if (ROOT / ".venv").exists():
            (tree / ".venv").symlink_to(ROOT / ".venv")
        again.mkdir()
        with empty_caches(scratch):
            make(tree, again)
        if not artefacts(again):
            die("the second build made nothing")
        if changed := different(output, again):
            shutil.copytree(again, output / "again", dirs_exist_ok=True, ignore=shutil.ignore_patterns("_CPack_Packages"))
            die(f"another build of this commit, at another path, differs in {', '.join(changed)}: see {output / 'again'}, by diffoscope")
        say(f"reproduced, bit by bit: {', '.join(file.name for file in artefacts(again))}")
        return len(artefacts(again))


# ---- Signatures ------------------------------------------------------------------------------------------------------


def gpg(*words, home=None):
    """GnuPG's exit status is 0, or this dies."""
    if shutil.which("gpg") is None:
        die("nothing is signed without gpg (Debian: gnupg)")
    environment = os.environ | ({"GNUPGHOME": str(home)} if home else {})
    done = subprocess.run(["gpg", "--batch", "--yes", *words], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        die(f"gpg {words[0]} fails: {done.stderr.strip()}")


def sign(output, key, home=None):
    """SHA256SUMS.asc, by a key of the releaser's; the signature is looked at before anybody relies on it."""
    sums = output / "SHA256SUMS"
    gpg("--local-user", key, "--armor", "--detach-sign", "--output", f"{sums}.asc", str(sums), home=home)
    gpg("--verify", f"{sums}.asc", str(sums), home=home)
    say(f"signed by {key}: {sums.name}.asc")


def sign_for_practice(output):
    """The same with a key that is made for this and forgotten: a dry run shows that signing works."""
    with tempfile.TemporaryDirectory(prefix="chomp-key-") as home:
        os.chmod(home, 0o700)
        gpg("--passphrase", "", "--quick-generate-key", "chomp dry run", "default", "default", "1d", home=home)
        sign(output, "chomp dry run", home)
        subprocess.run(["gpgconf", "--kill", "all"], env=os.environ | {"GNUPGHOME": home}, check=False)
    (output / "SHA256SUMS.asc").unlink()
    say("that key is gone, and its signature with it: a release needs --sign KEY")


# ---- The ABI ---------------------------------------------------------------------------------------------------------


def abi_breaks(old, new):
    """What abidiff (libabigail) says of symbols and types that `new` lacks or has changed, or "". More symbols are no break."""
    done = subprocess.run(["abidiff", "--suppressions", HERE / "abidiff.suppr", "--no-added-syms", "--no-unreferenced-symbols", old, new],
                          capture_output=True, text=True, check=False)
    if done.returncode & ABI_ERROR:
        die(f"abidiff fails: {done.stderr or done.stdout}")
    return done.stdout.strip() if done.returncode & (ABI_CHANGE | ABI_BREAK) else ""


def last_release(tags, version):
    """The newest tag vX.Y.Z before this version, or None."""
    numbers = lambda text: tuple(map(int, text.split(".")))  # noqa: E731
    older = [numbers(tag[1:]) for tag in tags if re.fullmatch(r"v\d+(\.\d+)+", tag) and numbers(tag[1:]) < numbers(version)]
    return f"v{'.'.join(map(str, max(older)))}" if older else None


def compare_abi(library, tags, version, build):
    """Beside the library of the last release, which `build(tree)` builds and returns. What is known then; None where nothing
    can be compared here."""
    tag = last_release(tags, version)
    if tag is None:
        return "no release before this one: there is no ABI to keep yet"
    if shutil.which("abidiff") is None:
        return None
    with tempfile.TemporaryDirectory(prefix="chomp-before-") as scratch, settings(CCACHE_BASEDIR=scratch):
        tree = Path(scratch) / "tree"
        copy_of(tag, tree)
        if breaks := abi_breaks(build(tree), library):
            die(f"the ABI of {tag} is broken (abi/README.md, What is promised):\n{breaks}")
    return f"the ABI of {tag} is kept"

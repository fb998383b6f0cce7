"""Where LLVM's tests of its OpenMP runtime come from: a source package of the distribution."""

import re
import tempfile
from pathlib import Path

from common import say
from package_source import Unavailable, download, last_line, run

LLVM = 19          # whose compiler builds the tests, and whose tests are run
NEWER = (22,)      # whose tests are run on demand; their packages are in Debian's unstable suite
# The tests, and a header of libomp's that some of them include; three folders above them are cut off.
WANTED = ["*/openmp/runtime/test/*", "*/openmp/runtime/src/kmp_platform.h"]


def fetched(cache, version):
    """The folder with the tests, fetched if `cache` has none. Raises Unavailable."""
    kept = Path(cache).resolve() / f"llvm-{version}-openmp-tests"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as work:
            archive = download(f"llvm-toolchain-{version}", "160 to 200 MB", Path(work), "unstable" if version in NEWER else None)
            # Into place by one rename: an interrupted run leaves no half a suite.
            extract(archive, Path(work) / "extracted").rename(kept)
    return kept / "test"


def version(tests):
    return (tests.parent / "VERSION").read_text().strip()


def extract(archive, folder):
    say("extracting the tests")
    folder.mkdir()
    done = run(["tar", "-xf", str(archive), "-C", str(folder), "--strip-components=3", "--wildcards", *WANTED],
               folder.parent)
    if done.returncode != 0 or not (folder / "test" / "lit.cfg").exists():
        raise Unavailable(f"{archive.name} does not hold {WANTED[0]}: {last_line(done.stdout)}")
    (folder / "VERSION").write_text(re.search(r"_(.*)\.orig\.", archive.name).group(1) + "\n")
    return folder

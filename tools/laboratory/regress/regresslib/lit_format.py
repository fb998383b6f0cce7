"""The programs of bots/ and uts/ as tests of lit: `lit bots uts` from the root, `lit bots/fib` for one. A test is one version of one program
and passes if the program proves its own answer, in time, and its OpenMP calls bind to the library under test.

Parameters (--param name=value):
  build      the build folder: bin/ has the programs, lib/libomp.so is the library            (build/release)
  library    another library
  size       small, medium or large inputs                                                    (small)
  threads    OMP_NUM_THREADS, one or several separated by commas                              (2)
  scheduler  CHOMP_SCHEDULER
  limit      seconds one run may take                                                         (60)
"""

import shlex
from pathlib import Path

import lit.Test
import lit.formats

from common import ROOT
from programs import SIZES, cases, place_of

from .entries import RIGHT, own_entries
from .libraries import Library
from .rounds import Runner, Unusable


class ProgramFormat(lit.formats.TestFormat):
    """`folder` is bots, bots/kernels or uts; a program's tests appear in its own folder."""

    def __init__(self, folder, lit_config):
        parameters = lit_config.params
        build = Path(parameters.get("build") or ROOT / "build" / "release").resolve()
        library = Path(parameters.get("library") or build / "lib" / "libomp.so").resolve()
        size = parameters.get("size", "small")
        if size not in SIZES:
            lit_config.fatal(f"size must be one of {', '.join(SIZES)}, not {size}")
        if not library.is_file():
            lit_config.fatal(f"no library to test: {library} does not exist; --param build=<build folder>")
        scheduler = parameters.get("scheduler")
        environment = {"CHOMP_SCHEDULER": scheduler} if scheduler else {}
        self._library = Library(str(library), library, "clang", environment, subject=True)
        self._threads = [int(number) for number in parameters.get("threads", "2").split(",")]
        self._runner = Runner(build / "regress" / "lit", float(parameters.get("limit", "60")))
        ours = [case for case in cases(size) if place_of(case.program)[0] == folder]
        self._entries = dict(zip((self._path(case) for case in ours), own_entries(ours, build / "bin", lambda name: None)))

    @staticmethod
    def _path(case):
        """Of a test in its suite. A folder of bots/kernels/ has several programs."""
        suite, folder = place_of(case.program)
        test = f"{case.program.partition('-')[2]}-{case.test}" if suite == "bots/kernels" else case.test
        return (folder, test) if folder else (test,)

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):  # noqa: N802, N803
        for path in self._entries:
            if path[:-1] == path_in_suite:
                yield lit.Test.Test(testSuite, path, localConfig)

    def execute(self, test, litConfig):
        entry = self._entries[tuple(test.path_in_suite)]
        if not entry.files["clang"].exists():
            return lit.Test.UNSUPPORTED, f"{entry.files['clang']} was not built"
        for threads in self._threads:
            try:
                outcome, why, ended = self._runner.once(entry, self._library, threads)
            except Unusable as error:
                return lit.Test.FAIL, str(error)
            if outcome != RIGHT:
                command = shlex.join([f"OMP_NUM_THREADS={threads}", entry.files["clang"].name, *entry.arguments])
                return lit.Test.FAIL, f"{command}: {outcome}: {why}\n{ended.output[-4000:]}"
        return lit.Test.PASS, ""

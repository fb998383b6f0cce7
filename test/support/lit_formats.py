"""A format of lit for tests that hold for every scheduler, and for tests that cannot test: a RUN line that ends with status
77 makes its test UNSUPPORTED. With `--param cpu=1` each test says how many seconds of the CPUs it took, which hardly depends on
what else the machine does.

A test of a tool, not of the library, names what it looks at, from the root: `LOOKS AT: tools/lib schedulers`. With `--param
unchanged=skip` it is UNSUPPORTED while all that, the tests beside it and their support are as they were when it passed.

In a file of its own, since lit hands tests to other processes."""

import hashlib
import os
import re
import resource
import sys

import lit.formats
import lit.Test
import lit.TestRunner


def cpu_seconds():
    """Of all commands that this process has waited for, with theirs. lit runs one test at a time in each of its processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOOKS_AT = re.compile(r"^(?:(?://|#) )?LOOKS AT: (.+)$", re.M)
NOT_REPEATED = "not repeated: what it looks at is as it was when it passed"


def files_below(place):
    if os.path.isfile(place):
        return [place]
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names if "__pycache__" not in folder)


class Passed:
    """When a test has passed, what it looked at, as a digest in a file of its own."""

    def __init__(self, test):
        source = test.getSourcePath()
        with open(source, errors="replace") as file:
            named = LOOKS_AT.search(file.read())
        self.mark = os.path.join(test.config.test_exec_root, "passed", *test.path_in_suite) if named else None
        places = [os.path.dirname(source), os.path.join(ROOT, "test", "support"), *(os.path.join(ROOT, name) for name in named[1].split())] if named else []
        seen = hashlib.sha256(sys.version.encode())
        for name in (name for place in places for name in files_below(place)):
            with open(name, "rb") as file:
                seen.update(name.encode() + hashlib.sha256(file.read()).digest())
        self.digest = seen.hexdigest()

    def on_the_same(self):
        try:
            with open(self.mark) as file:
                return file.read() == self.digest
        except (OSError, TypeError):
            return False

    def note(self):
        if self.mark:
            os.makedirs(os.path.dirname(self.mark), exist_ok=True)
            with open(self.mark, "w") as file:
                file.write(self.digest)


class TestOfScheduler(lit.Test.Test):
    """The RUN lines of a file, for one scheduler: `sched/contract.each_scheduler/steal`."""

    def getSourcePath(self):
        return self.suite.getSourcePath(self.path_in_suite[:-1])


class ShTestEachScheduler(lit.formats.ShTest):
    """ShTest, but a file NAME.each_scheduler is one test for each scheduler, with %each-scheduler in its RUN lines."""

    def __init__(self, schedulers):
        super().__init__()
        self.schedulers = schedulers

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        for test in super().getTestsForPath(testSuite, path_in_suite, litConfig, localConfig):
            if not path_in_suite[-1].endswith(".each_scheduler"):
                yield test
                continue
            for scheduler in self.schedulers:
                yield TestOfScheduler(testSuite, path_in_suite + (scheduler,), localConfig)

    def execute(self, test, litConfig):
        passed = Passed(test)
        if litConfig.params.get("unchanged") == "skip" and passed.on_the_same():
            return lit.Test.Result(lit.Test.UNSUPPORTED, NOT_REPEATED)
        own = [("%each-scheduler", test.path_in_suite[-1])] if isinstance(test, TestOfScheduler) else []
        before = cpu_seconds()
        result = lit.TestRunner.executeShTest(test, litConfig, self.execute_external, own)
        if litConfig.params.get("cpu"):
            result.addMetric("cpu", lit.Test.RealMetricValue(cpu_seconds() - before))
        if result.code is lit.Test.FAIL and re.search(r"^Exit Code: 77$", result.output, re.M):
            result.code = lit.Test.UNSUPPORTED
        if result.code is lit.Test.PASS:
            passed.note()
        return result

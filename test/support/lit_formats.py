"""A format of lit for tests that hold for every scheduler, and for tests that cannot test: a RUN line that ends with status
77 makes its test UNSUPPORTED. With `--param cpu=1` each test says how many seconds of the CPUs it took, which hardly depends on
what else the machine does. In a file of its own, since lit hands tests to other processes."""

import re
import resource

import lit.formats
import lit.Test
import lit.TestRunner


def cpu_seconds():
    """Of all commands that this process has waited for, with theirs. lit runs one test at a time in each of its processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
        own = [("%each-scheduler", test.path_in_suite[-1])] if isinstance(test, TestOfScheduler) else []
        before = cpu_seconds()
        result = lit.TestRunner.executeShTest(test, litConfig, self.execute_external, own)
        if litConfig.params.get("cpu"):
            result.addMetric("cpu", lit.Test.RealMetricValue(cpu_seconds() - before))
        if result.code is lit.Test.FAIL and re.search(r"^Exit Code: 77$", result.output, re.M):
            result.code = lit.Test.UNSUPPORTED
        return result

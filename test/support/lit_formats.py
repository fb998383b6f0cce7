"""A format of lit for tests that hold for every scheduler, and for tests that cannot test: a RUN line that ends with status
77 makes its test UNSUPPORTED. In a file of its own, since lit hands tests to other processes."""

import re

import lit.formats
import lit.Test
import lit.TestRunner


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
        result = lit.TestRunner.executeShTest(test, litConfig, self.execute_external, own)
        if result.code is lit.Test.FAIL and re.search(r"^Exit Code: 77$", result.output, re.M):
            result.code = lit.Test.UNSUPPORTED
        return result

"""A stand-in for the check of a file: does what the file's first word says."""

import os
import sys
import time
from pathlib import Path

import numpy

from tilewright.lab.check.child import AskedReference
from tilewright.lab.check.options import CheckError, options_of_record
from tilewright.lab.check.report.records import record_of
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.limited.task import with_refusals

ERRORS = {"raise": RuntimeError("a bug"), "refuse": CheckError("two orders fit")}


def check(request, parent):
    """Do it, and answer as the check does."""
    path, options = request.value["path"], options_of_record(request.value["options"])
    parent.tell([1, 2])

    def work():
        what, how = Path(path).read_text(encoding="utf-8").split()[0], str(options)
        if what == "crash":
            os.abort()
        for number in (1, 2) if what == "many" else ():
            done = CheckResult(path, f"k{number}", cases=(CaseResult({"n": 1}, "right"),))
            parent.tell({"judged": record_of(done), "next": f"k{number + 1}", "left": 40 - number})
        if what in ("hang", "many"):
            time.sleep(600)
        if what == "memory":
            bytearray(1 << 44)
        if what in ERRORS:
            raise ERRORS[what]
        if what == "nothing":
            return []
        if what == "reference":
            (returned,) = AskedReference(parent)({"n": 2, "x": numpy.zeros(3)})
            how = str(returned.tolist())
        sys.stdout.write("kernels print\n")
        parent.tell([2, 2])
        return [record_of(CheckResult(path, options.symbol, how=how, cases=(CaseResult({"n": 1}, "right"),)))]

    return with_refusals(work)

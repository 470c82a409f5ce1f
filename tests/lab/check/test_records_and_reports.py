"""Results as JSON and as JUnit XML."""

import json
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy
import pytest

from tests.lab.check.results import case, on_gpu, race, refused, result, uncoalesced
from tilewright.lab.check.report.junit import WATCHED, junit_xml
from tilewright.lab.check.report.plain_text import QuotedLines
from tilewright.lab.check.report.points import score
from tilewright.lab.check.report.records import plain, record_of, result_of
from tilewright.lab.check.report.report_json import document
from tilewright.lab.check.report.result import GpuResult

STATUSES = ("right", "wrong", "fault", "not run")


def test_a_result_goes_through_json_unharmed():
    """Record, JSON, result: the same."""
    there = result(
        findings=(race(), uncoalesced(), race(other=None, place=(None, None))), cases=(case(1, 2, 3, "wrong"),)
    )

    assert result_of(json.loads(json.dumps(record_of(there), allow_nan=False))) == there


def test_what_a_gpu_said_goes_with_it():
    """Cases, and why there are none."""
    for gpu in (on_gpu("right", "wrong", "not run"), on_gpu(refusal="a reason")):
        there = result(gpu=gpu)
        assert result_of(json.loads(json.dumps(record_of(there), allow_nan=False))) == there


def test_what_is_no_number_survives():
    """NaN and infinity are strings in JSON and numbers again after it."""
    there = result(cases=(case(1, 2, 3, "wrong", error=math.inf, bound=numpy.float64("nan")),))
    (back,) = result_of(json.loads(json.dumps(record_of(there), allow_nan=False))).cases

    assert back.error == math.inf
    assert back.bound is not None
    assert math.isnan(back.bound)


def test_details_become_plain():
    """NumPy's values, tuples as keys, sets, bytes."""
    value = plain({(1, 2): numpy.arange(3), "b": {3, 1}, "c": numpy.int64(5), "d": b"x", "e": numpy.float32("inf")})

    assert value == {"(1, 2)": [0, 1, 2], "b": [1, 3], "c": 5, "d": "b'x'", "e": "inf"}


def test_the_document_has_stable_keys():
    """What a reader of the file relies on."""
    content = document([[result()], [refused()]], seed=3, strict=True)
    first, second = content["files"]

    assert list(content) == ["version", "seed", "strict", "well", "files"]
    assert (content["version"], content["seed"], content["strict"], content["well"]) == (1, 3, True, False)
    assert (first["file"], first["well"], second["well"]) == ("mul.cu", True, False)
    assert set(first["kernels"][0]) == {
        *("file", "kernel", "operation", "arguments", "how", "launch", "cases", "findings", "compared", "notes"),
        *("refusal", "gpu", "pending", "right", "well"),
    }
    assert second["kernels"][0]["refusal"] == "broken.cu:3: error: expected a ;"


def suites(*files, **options):
    """The suites of the document, by name."""
    root = ElementTree.fromstring(junit_xml(files, **options))  # noqa: S314  (made here)
    assert root.tag == "testsuites"
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.attrib[name]) == sum(int(suite.attrib[name]) for suite in root)
    return {suite.get("name"): suite for suite in root}


def test_junit_has_a_case_per_problem_and_per_kind_of_finding():
    """Failures with messages, faults as errors, what is not promised as skipped."""
    cases = (
        case(16, 16, 16),
        case(17, 1, 2, "wrong", message="C[0][1] is 3"),
        case(1, 1, 1, "fault", message="endless"),
        case(3, 1, 1, "refused", message="no multiple of 16"),
    )
    suite = suites([result(cases=cases, findings=(race(), uncoalesced()))])["mul.cu: mul"]
    tests = {test.get("name"): test for test in suite}

    assert len(suite) == len(tests) == 4 + len(WATCHED)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [str(len(suite)), "2", "1", "1"]
    assert tests["rows 17, inner 1, cols 2"].find("failure").get("message") == "C[0][1] is 3"
    assert tests["no race"].find("failure").get("message").startswith("mul.cu:4: Thread (0, 0, 0) writes")
    assert "mul.cu:4 and mul.cu:5: error: race (1024 x)" in tests["no race"].find("failure").text
    assert tests["no uncoalesced"].find("failure") is None
    assert "A warp's 32 stores" in tests["no uncoalesced"].find("system-out").text
    assert len(tests["no bank conflict"]) == 0


def test_junit_has_a_case_per_problem_on_the_gpu():
    """With its time; what was stopped is an error, what was not run is skipped."""
    gpu = GpuResult("A card", tuple(replace(c, sizes={"n": n}) for n, c in enumerate(on_gpu(*STATUSES).cases)))
    suite = suites([result(gpu=gpu)])["mul.cu: mul"]
    tests = [test for test in suite if test.get("name", "").endswith(", on the GPU")]

    assert [test.get("name") for test in tests] == [f"n {number}, on the GPU" for number in range(4)]
    assert tests[0].get("time") == "0.000004500"
    assert [next((child.tag for child in test), "") for test in tests] == ["", "failure", "error", "skipped"]


def test_junit_says_why_a_gpu_ran_nothing():
    """An error of its own."""
    suite = suites([result(gpu=on_gpu(refusal="the emulator ran nothing"))])["mul.cu: mul"]
    (error,) = suite.iter("error")

    assert error.get("message") == "Not run on A card, for the emulator ran nothing."


def test_junit_strict_fails_notes():
    """`--strict`."""
    suite = suites([result(findings=(uncoalesced(),))], strict=True)["mul.cu: mul"]

    assert suite.get("failures") == "1"


def test_junit_of_a_file_that_was_not_checked_and_of_points():
    """An error, and a suite of the rubric's criteria."""
    rubric = {"right": 40.0, "no race": 10.0}
    files = [[refused()], [result(findings=(race(),))]]
    found = suites(*files, scores=[score(file, rubric) for file in files])

    assert found["broken.cu"].get("errors") == "1"
    assert [found["broken.cu: points"].get(name) for name in ("tests", "failures")] == ["2", "2"]
    (lost,) = found["mul.cu: points"].iter("failure")
    assert lost.get("message").startswith("0 of 10 points: mul: race, line 4")


def test_junit_holds_any_text():
    """Markup, quotes, control characters, lone surrogates: escaped."""
    message = 'a < b && "c" \x1b[31m\x00\ufffe\udc80 ]]> é'
    suite = suites([result("<&>.cu", findings=(race(message=message),))])["<&>.cu: mul"]
    (failure,) = suite.iter("failure")

    assert failure.get("message") == r'mul.cu:4: a < b && "c" \x1b[31m\x00\ufffe\x80 ]]> é'


def test_quoted_lines_are_those_of_the_file_and_its_folder(tmp_path):
    """A `#line` that names another file quotes nothing."""
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.txt").write_text("secret\n")
    (tmp_path / "in" / "tile.cuh").write_text("one\n  two\n")
    path = tmp_path / "in" / "mul.cu"
    path.write_text("first\nsecond\x1b[2J\n")
    (tmp_path / "in" / "link.cuh").symlink_to(tmp_path / "secret.txt")
    lines = QuotedLines(str(path))

    assert lines.line((str(path), 1)) == lines.line(("mul.cu", 1)) == lines.line((None, 1)) == "first"
    assert lines.line(("mul.cu", 2)) == r"second\x1b[2J"
    assert lines.line(("tile.cuh", 2)) == "two"
    for name in ("/etc/passwd", "../secret.txt", str(tmp_path / "secret.txt"), "link.cuh", "none.cu", "a\x00b"):
        assert lines.line((name, 1)) == ""
    for number in (None, 0, 99):
        assert lines.line(("mul.cu", number)) == ""
    assert lines.line(None) == ""


@pytest.mark.parametrize("strict", [False, True])
def test_well_follows_strict(strict):
    """A note is a failure with `--strict` alone."""
    content = document([[result(findings=(uncoalesced(),))]], strict=strict)

    assert content["well"] is content["files"][0]["well"] is (not strict)

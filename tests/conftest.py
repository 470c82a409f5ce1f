"""Under CI a skipped test is a failure, unless it is skipped for want of a GPU (tests/gpu)."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

GPU_TESTS = Path(__file__).parent / "gpu"
TWO_GPUS = "test_two_gpus.py"
"""What needs two; TILEWRIGHT_REQUIRE_GPU is how many there must be."""


def pytest_configure() -> None:
    """Let nothing depend on where tests run: on a terminal's width, which pytest-xdist tells, or on a tuned card."""
    os.environ.pop("COLUMNS", None)
    os.environ["TILEWRIGHT_TUNED"] = "0"


def skip_is_failure(path: Path) -> bool:
    """Whether a skip in the file at path must fail: the rule of .ci/run, and of a machine that has so many GPUs."""
    if path.is_relative_to(GPU_TESTS):
        needed = 2 if path.name == TWO_GPUS else 1
        return int(os.environ.get("TILEWRIGHT_REQUIRE_GPU") or 0) >= needed
    return bool(os.environ.get("CI"))


def fail_when_skipped(report: pytest.TestReport | pytest.CollectReport, path: Path) -> None:
    """Turn a skip into a failure that quotes its reason; an expected failure is no skip."""
    if report.skipped and not hasattr(report, "wasxfail") and skip_is_failure(path):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"A skip counts as a failure here. {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Judge the skips of single tests."""
    report = yield
    fail_when_skipped(report, item.path)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Judge the skips of whole modules."""
    report = yield
    fail_when_skipped(report, collector.path)
    return report

"""Races of textbook code are notes with a reason; real ones beside them stay errors."""

import numpy
import pytest

from tilewright.lab.check.judge.other_kinds import check_other
from tilewright.lab.check.options import Options
from tilewright.lab.check.run.textbook_races import EARLY_STOP, FIRST_GUESS, LAST_RESETS

SWAPPED = """
__device__ void add(float* address, float value)
{
    int* place = (int*)address;
    int old = *place, assumed;
    do {
        assumed = old;
        old = atomicCAS(place, assumed, __float_as_int(value + __int_as_float(assumed)));
    } while (assumed != old);
}
__global__ void sum(const float* x, float* result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add(result, x[i]);
}
"""
LAST_BLOCK = """
__device__ unsigned int count = 0;
__global__ void sum(const float* x, float* part, float* result, int n)
{
    __shared__ bool is_last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        float s = 0;
        for (int j = i; j < i + blockDim.x && j < n; ++j) s += x[j];
        part[blockIdx.x] = s;
        __threadfence();
        is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float s = 0;
        for (int b = 0; b < gridDim.x; ++b) s += ((volatile float*)part)[b];
        result[0] = s;
        count = 0;
    }
}
"""
EARLY = """
__global__ void sum(const float* x, float* result, int* done, int n)
{
    if (*done) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 2) *done = 1;
    if (i == 0) result[0] = n;
}
"""
BESIDE = SWAPPED.replace("add(result, x[i])", "{ if (i % 2) add(result, x[i]); else *result = *result + x[i]; }")
FIRST_RESETS = LAST_BLOCK.replace(
    "if (is_last && threadIdx.x == 0) {", "if (threadIdx.x == 0) count = 0; if (is_last) {"
)
COUNTED_ON = LAST_BLOCK.replace("        count = 0;", "        count = n - 256;")
STORED = SWAPPED.replace("} while", "address[1] = __int_as_float(old); } while")
ARRAYS = {"part": numpy.zeros(4, numpy.float32), "done": numpy.zeros(1, numpy.int32)}


def races_of(tmp_path, text, count=1):
    """The races that a check finds."""
    path = tmp_path / "sum.cu"
    path.write_text(text, encoding="utf-8")
    options = Options(block="64", grid="ceil(n/64)", zero_output=True)
    given = {name: array for name, array in ARRAYS.items() if f" {name}," in text or f"* {name}" in text}
    expected = {"result": numpy.full(count, 256, numpy.float32)}
    arrays = {"x": numpy.ones(256, numpy.float32), **given}
    (result,) = check_other(path, options, arrays=arrays, scalars={"n": 256}, expect=expected)
    assert not result.refusal
    return result, [finding for finding in result.findings if finding.kind == "race"]


@pytest.mark.parametrize(
    ("text", "reason"), [(SWAPPED, FIRST_GUESS), (LAST_BLOCK, LAST_RESETS)], ids=["first guess", "last block"]
)
def test_textbook_code_is_no_error(tmp_path, text, reason):
    """A note that says why; with --strict a failure."""
    result, races = races_of(tmp_path, text)

    assert races
    assert {race.severity for race in races} == {"note"}
    assert all(reason in race.message for race in races)
    assert result.is_well()
    assert not result.is_well(strict=True)


def test_a_flag_that_all_set_alike_is_no_error(tmp_path):
    """Blocks that stop early where another one has found something."""
    result, races = races_of(tmp_path, EARLY.replace("x[i] > 2", "x[i] > 0"))

    assert {race.severity for race in races} == {"note"}
    assert any(EARLY_STOP in race.message for race in races)
    assert all(finding.kind != "race" for finding in result.findings if finding.severity == "error")


@pytest.mark.parametrize(
    "text", [BESIDE, FIRST_RESETS, COUNTED_ON, STORED], ids=["plain beside", "every block resets", "computed", "stored"]
)
def test_real_races_stay_errors(tmp_path, text):
    """A plain read-modify-write beside atomics, a counter that anyone resets or that is computed, a value stored."""
    _, races = races_of(tmp_path, text, count=2 if text is STORED else 1)

    assert any(race.severity == "error" for race in races)

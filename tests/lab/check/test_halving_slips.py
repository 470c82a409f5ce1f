"""Sums by halves with a step too few or too many: the loop is named, and mended alone."""

import pytest

from tilewright.lab.check.find.halving_slips import halving_slips
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

SHUFFLED = "for ({}) v += __shfl_down_sync(0xffffffff, v, d);"
IN_SHARED = "for ({}) {{ if (t < s) part[t] += part[t + s]; __syncthreads(); }}"
KERNEL = """// *sum is 0 before
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    float own = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) own += x[i] * y[i];
    for (unsigned off = 16; off > 1; off >>= 1)
        own += __shfl_xor_sync(0xffffffffu, own, off);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
"""


@pytest.mark.parametrize(
    ("loop", "head", "now"),
    [
        (SHUFFLED, "int d = 16; d > 1; d /= 2", "d > 0"),
        (SHUFFLED, "unsigned d = warpSize / 2; d >= 2; d = d >> 1", "d > 0"),
        (SHUFFLED, "int d = 8; d; d >>= 1", "16"),
        (SHUFFLED, "int d = 32; d > 0; d >>= 1", "16"),
        (SHUFFLED, "int d = 1; d < 16; d *= 2", "d < 32"),
        (SHUFFLED, "int d = 1; d < warpSize / 2; d <<= 1", "d < warpSize"),
        (SHUFFLED, "int d = 1; d <= 32; d += d", "d < 32"),
        (IN_SHARED, "int s = 128; s > 1; s /= 2", "s > 0"),
        (IN_SHARED, "int s = blockDim.x / 2; s != 1; s >>= 1", "s > 0"),
    ],
)
def test_a_loop_that_ends_or_begins_elsewhere(loop, head, now):
    """It is mended by its start or its end."""
    code = loop.format(head)
    (slip,) = halving_slips(code)
    assert slip.now == now
    assert not list(halving_slips(code[: slip.start] + slip.now + code[slip.end :]))


@pytest.mark.parametrize(
    ("start", "now"), [("LANES", ["LANES / 2"]), ("LANES / 4", ["LANES / 2"]), ("LANES / 2", []), ("8", ["4", "16"])]
)
def test_lanes_that_share_a_row(start, now):
    """A sum over eight lanes begins at four: at eight, it adds what the next eight have."""
    code = "int lane = threadIdx.x % LANES, row = threadIdx.x / 8;" + SHUFFLED.format(f"int d = {start}; d > 0; d /= 2")
    assert [slip.now for slip in halving_slips(code)] == now


@pytest.mark.parametrize(
    ("loop", "head"),
    [
        (SHUFFLED, "int d = 16; d; d /= 2"),
        (SHUFFLED, "int d = warpSize / 2; d >= 1; d >>= 1"),
        (SHUFFLED, "int d = 1; d < 32; d *= 2"),
        (IN_SHARED, "int s = 128; s > 32; s /= 2"),
        (IN_SHARED, "int s = 8; s > 0; s--"),
        ("for ({}) n += 1;", "int d = 16; d > 1; d /= 2"),
    ],
)
def test_a_loop_that_is_right_or_another(loop, head):
    """It ends at one, or where a warp goes on by itself, or adds nothing at that distance."""
    assert not list(halving_slips(loop.format(head)))


@pytest.mark.slow
def test_the_line_is_named(tmp_path):
    """Of a dot product whose launch nobody says."""
    (tmp_path / "k.cu").write_text(KERNEL)
    (result,) = check_file(tmp_path / "k.cu", Options())
    assert (result.findings[0].kind, result.findings[0].place[1]) == ("cause", 6)


WRITTEN = "if (t < 128) s[t] += s[t + 128]; __syncthreads();\n{}if (t < 32) {{ {} v += __shfl_down_sync(~0u, v, 16); }}"
STEP = "if (t < 64) s[t] += s[t + 64]; __syncthreads();\n"


@pytest.mark.parametrize(
    ("step", "first", "now"),
    [
        (STEP, "v = s[t] + s[t + 32];", []),
        ("", "v = s[t] + s[t + 32];", [" if (t < 64) s[t] += s[t + 64]; __syncthreads();"]),
        (STEP, "v = s[t];", ["v = s[t] + s[t + 32];"]),
    ],
)
def test_steps_that_are_written_out(step, first, now):
    """One that is missing is put behind the one before; what a warp begins with adds the last two sums."""
    assert [slip.now for slip in halving_slips(WRITTEN.format(step, first))] == now


def test_a_loop_that_leaves_more_than_a_warp_takes():
    """It ends at 64, and a warp adds 32 apart."""
    (slip,) = halving_slips(IN_SHARED.format("int s = 128; s > 64; s >>= 1"))
    assert slip.now == "s > 32"

"""A last block that adds up what others left, with a fence between a block's sum and its count, and without."""

from __future__ import annotations

import pytest

from tests.lab.check.test_products import checked

KERNEL = """
// %(said)s
__global__ void dots(const float *x, const float *y, %(kind)s *sums, unsigned *count, float *out, int n)
{
    __shared__ float w[128];
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        v += x[i] * y[i];
    w[threadIdx.x] = v;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) w[threadIdx.x] += w[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = w[0];
        %(fence)s
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) total += sums[b];
        *out = total;
        *count = 0;
    }
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "said", ["dots<<<blocks, 128>>>: 1 to 128 blocks", "dots<<<4, 128>>>(x, y, sums, count, out, n)"]
)
@pytest.mark.parametrize("kind", ["float", "volatile float"])
def test_a_fence_is_missing(tmp_path, said, kind):
    """Whether the sums are volatile or not, and however many blocks were guessed."""
    result = checked(tmp_path, KERNEL % {"said": said, "kind": kind, "fence": ""})
    errors = [each for each in result.findings if each.severity == "error"]
    assert [each.kind for each in errors] == ["race"]
    assert 17 in {place[1] for place in (errors[0].place, errors[0].other) if place}


@pytest.mark.parametrize("kind", ["float", "volatile float"])
@pytest.mark.parametrize("fence", ["__threadfence();", "__threadfence_system();"])
def test_a_fence_is_there(tmp_path, kind, fence):
    """Then nothing is found."""
    result = checked(
        tmp_path, KERNEL % {"said": "dots<<<4, 128>>>(x, y, sums, count, out, n)", "kind": kind, "fence": fence}
    )
    assert [each for each in result.findings if each.severity == "error"] == []
    assert result.is_well()


def test_integers_are_added_up_by_the_last_block(tmp_path):
    """What no block has written is no part of the result: of integers, too, where it is no NaN."""
    text = KERNEL % {"said": "dots<<<4, 128>>>(x, y, sums, count, out, n)", "kind": "int", "fence": "__threadfence();"}
    result = checked(tmp_path, text.replace("float", "int").replace("0.0f", "0"))
    assert result.is_well(), [(each.kind, each.message) for each in result.findings]


@pytest.mark.parametrize("late", ["", "__threadfence();"])
def test_a_fence_of_the_reader_alone(tmp_path, late):
    """Sums and counter are variables of the device, and the last block fences, or not: the writers do not."""
    text = KERNEL % {"said": "dots<<<4, 128>>>(x, y, out, n)", "kind": "volatile float", "fence": ""}
    text = text.replace("volatile float *sums, unsigned *count, ", "").replace("if (last &&", f"{late} if (last &&")
    text = text.replace("atomicAdd(count", "atomicAdd(&count").replace("*count = 0", "count = 0")
    result = checked(tmp_path, "__device__ volatile float sums[64];\n__device__ unsigned count;\n" + text)
    errors = [each for each in result.findings if each.severity == "error"]
    assert [each.kind for each in errors] == ["race"]
    assert 19 in {place[1] for place in (errors[0].place, errors[0].other) if place}


def test_a_counter_of_the_device_beside_sums_that_are_passed(tmp_path):
    """Then the sums are found without a fence, too."""
    text = KERNEL % {"said": "dots<<<4, 128>>>(x, y, sums, out, n)", "kind": "volatile float", "fence": ""}
    text = text.replace("unsigned *count, ", "").replace("atomicAdd(count", "atomicAdd(&count")
    result = checked(tmp_path, "__device__ unsigned count;\n" + text.replace("*count = 0", "count = 0"))
    errors = [each for each in result.findings if each.severity == "error"]
    assert [each.kind for each in errors] == ["race"]
    assert 18 in {place[1] for place in (errors[0].place, errors[0].other) if place}

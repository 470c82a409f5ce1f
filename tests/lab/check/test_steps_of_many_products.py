"""Many products in one launch, with the steps from one matrix to the next wherever a signature has them."""

import pytest

from tests.lab.check.test_products import checked

KERNEL = """#define T 16
__global__ void many(SIGNATURE)
{
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    EARLIER
    for (int each = blockIdx.z; each < count; each += gridDim.z) {
        LATER
        for (int p = 0; p < k; p += T) {
            a[ty][tx] = row < m && p + tx < k ? A[each * sA + row * k + p + tx] : 0.0f;
            b[ty][tx] = p + ty < k && col < n ? B[each * sB + (p + ty) * n + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < T; ++i)
                sum += a[ty][i] * b[i][tx];
            __syncthreads();
        }
        if (row < m && col < n)
            C[each * sC + row * n + col] = sum;
    }
}
void run(SIGNATURE)
{
    dim3 grid((n + T - 1) / T, (m + T - 1) / T, count < 2 ? count : 2);
    many<<<grid, dim3(T, T)>>>(PASSED);
}
"""
POINTERS = ["const float *A", "const float *B", "float *C"]
STEPS = ["long long sA", "long long sB", "long long sC"]
SIZES = ["int m", "int n", "int k"]
BEHIND = [each for pair in zip(POINTERS, STEPS, strict=True) for each in pair]
ORDERS = {
    "steps before the sizes": [*POINTERS, *STEPS, *SIZES, "int count"],
    "steps behind the sizes": [*POINTERS, *SIZES, *STEPS, "int count"],
    "steps behind their matrices": [*BEHIND, *SIZES, "int count"],
}


def result_of(tmp_path, order, *, is_reset):
    """What `check` says of the kernel, whose sum begins anew with each product or does not."""
    passed = ", ".join(each.split()[-1].lstrip("*") for each in order)
    text = KERNEL.replace("SIGNATURE", ", ".join(order)).replace("PASSED", passed)
    places = ("", "float sum = 0;") if is_reset else ("float sum = 0;", "")
    for name, code in zip(("EARLIER", "LATER"), places, strict=True):
        text = text.replace(name, code)
    return checked(tmp_path, text)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_steps_are_found_in_any_place(tmp_path, order):
    """A right kernel needs no option, and each case has several products."""
    result = result_of(tmp_path, order, is_reset=True)
    assert not result.refusal
    assert {case.status for case in result.cases} == {"right"}
    assert {"rows*inner", "inner*cols", "rows*cols", "batch"} <= set(result.arguments.split()[-1].split(","))


@pytest.mark.long
def test_a_sum_that_is_not_reset(tmp_path):
    """Where blocks take several products in turn: the declaration outside the loop is the cause."""
    result = result_of(tmp_path, ORDERS["steps before the sizes"], is_reset=False)
    first = next(each for each in result.findings if each.severity == "error")
    assert (first.kind, first.place) == ("cause", ("product.cu", 6))

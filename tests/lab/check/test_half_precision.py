"""Kernels on numbers of 16 bits: whole numbers whose sums are exact, so that any difference is a mistake."""

import numpy
import pytest

from tilewright.lab.check.element_types import BFLOAT16, EXACT, as_type, dtype_of, fresh, numbers, unset
from tilewright.lab.check.find.products import compare, operands, result_of
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes

HALF = numpy.dtype("float16")
TILED = """#include <cuda_fp16.h>
#define TILE 16
__global__ void mul(const __half *A, const __half *B, {output} *C, int m, int n, int k)
{{
    __shared__ __half As[TILE][TILE], Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    {sum} sum = 0.0f;
    for (int t = 0; t < k; t += TILE) {{
        As[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : __float2half(0.0f);
        Bs[ty][tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : __float2half(0.0f);
        __syncthreads();
        for (int i = 0; i < {last}; ++i)
            sum = sum + ({sum})As[ty][i] * ({sum})Bs[i][tx];
        __syncthreads();
    }}
    if (row < m && col < n)
        C[row * n + col] = sum;
}}
int main()
{{
    __half *a, *b; {output} *c; int m = 100, n = 200, k = 300;
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    mul<<<grid, block>>>(a, b, c, m, n, k);
}}
"""


def checked(tmp_path, text):
    """The result of the file's kernel."""
    path = tmp_path / "mul.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return result


def test_bfloat16_has_the_bits_of_the_upper_half_of_a_float():
    """Whole numbers up to 256, and back; NaN where nobody wrote."""
    values = numpy.arange(-256, 257)
    array = as_type(values, BFLOAT16)

    assert array.dtype.itemsize == 2
    numpy.testing.assert_array_equal(numbers(array), values)
    assert numpy.isnan(numbers(unset(5, BFLOAT16))).all()
    assert numbers(as_type(numpy.array([1.5, -2.0]), BFLOAT16)).tolist() == [1.5, -2.0]
    assert as_type(numpy.array([1.0]), BFLOAT16).view("uint16")[0] == 0x3F80


def test_cuda_names():
    """Scalars and pairs."""
    assert dtype_of("const __half") == dtype_of("half2") == HALF
    assert dtype_of("__nv_bfloat16") == BFLOAT16


@pytest.mark.parametrize("dtype", list(EXACT))
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
@pytest.mark.parametrize("inner", [16, 61, 128])
def test_every_partial_sum_is_exact(dtype, operation, inner):
    """No sum, in any order that a kernel may take, exceeds what the type holds exactly."""
    sizes = Sizes(32, inner, 34).of_operation(operation)
    a, b = operands(operation, sizes, dict.fromkeys("ABC", dtype), numpy.random.default_rng(inner))
    a, b = numbers(a).astype(float), numbers(b).astype(float)
    if operation == "reduced_matmul":
        a, b = a[::2] + a[1::2], b[:, ::2] + b[:, 1::2]
    products = a * b if operation == "dot" else a[:, :, None] * b[None]
    for sums in (numpy.cumsum(products, axis=-1 if operation == "dot" else 1), products):
        assert numpy.abs(sums).max() <= EXACT[dtype]
    assert len(numpy.unique(a)) >= 3


@pytest.mark.parametrize("dtype", list(EXACT))
def test_one_unit_is_a_mistake(dtype):
    """And NaN; the exact result is right."""
    sizes = Sizes(20, 40, 30)
    a, b = operands("matmul", sizes, dict.fromkeys("ABC", dtype), numpy.random.default_rng(3))
    exact = numbers(a).astype(float) @ numbers(b).astype(float)
    off, unwritten = exact.copy(), exact.copy()
    off[3, 4] += 1
    unwritten[5, 6] = numpy.nan

    def judged(c):
        return compare("matmul", a, b, result_of("matmul", sizes, as_type(c, dtype).ravel()))

    assert judged(exact).passed
    assert (judged(off).first_wrong, judged(unwritten).first_wrong) == ((3, 4), (5, 6))
    assert (judged(off).error, judged(off).bound_there) == (1, 0)


def test_inputs_of_other_types_stay_as_they_are():
    """Normal numbers."""
    a = fresh(numpy.random.default_rng(1), (9, 9), numpy.dtype("float32"), positive=False)

    assert not (a == a.round()).any()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output", "kind"), [("__half", "float"), ("__half", "__half"), ("float", "float")], ids=["mixed", "half", "wide"]
)
def test_a_tiled_kernel(tmp_path, output, kind):
    """Whatever it adds in, and whatever it stores."""
    result = checked(tmp_path, TILED.format(output=output, sum=kind, last="TILE"))

    assert result.is_well()
    assert {case.error for case in result.cases} == {0}


@pytest.mark.slow
def test_a_tiled_kernel_in_bfloat16(tmp_path):
    """The type that NumPy does not have."""
    text = TILED.format(output="__half", sum="float", last="TILE").replace("__half", "__nv_bfloat16")
    text = text.replace("__float2half", "__float2bfloat16").replace("cuda_fp16", "cuda_bf16")
    text = text.replace("__float2__nv_bfloat16", "__float2bfloat16")
    result = checked(tmp_path, text)

    assert result.is_well()
    assert {case.error for case in result.cases} == {0}


@pytest.mark.slow
def test_a_lost_term_is_wrong(tmp_path):
    """One of sixteen, which the bound of normal numbers would let pass."""
    result = checked(tmp_path, TILED.format(output="__half", sum="float", last="TILE - 1"))

    assert not result.is_right
    assert "should be" in result.cases[0].message


@pytest.mark.long
def test_a_matrix_of_halves_times_a_vector_of_floats(tmp_path):
    """Beside halves, floats hold whole numbers, too: else sums of them would have to be exact and could not be."""
    text = """#include <cuda_fp16.h>
    __global__ void times(int m, int n, float p, const __half *M, const float *v, float q, float *w)
    {
        int row = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= m) return;
        float sum = 0;
        for (int i = n - 1; i >= 0; --i) sum += __half2float(M[row * n + i]) * v[i];
        w[row] = p * sum + q * w[row];
    }
    void run(int m, int n, float p, const __half *M, const float *v, float q, float *w)
    {
        times<<<(m + 63) / 64, 64>>>(m, n, p, M, v, q, w);
    }
    """
    assert checked(tmp_path, text).is_well()
    assert not checked(tmp_path, text.replace("i = n - 1", "i = n - 2")).is_well()


IN_A_HEADER = """#include <cuda_fp16.h>
// launch: add<<<1, 128>>>(a, b, c, n)
__global__ void add(const __half2 *a, const __half2 *b, float *c, int n)
{
    float own = 0;
    for (int i = threadIdx.x; i < n + 128; i += 128)
        own += __low2float(__hmul2(a[i], b[i])) + __high2float(__hmul2(a[i], b[i]));
    atomicAdd(c, own);
}
"""


@pytest.mark.slow
def test_what_a_header_reads_is_read_where_it_is_called(tmp_path):
    """So no place is one in the toolkit's files."""
    (tmp_path / "kernel.cu").write_text(IN_A_HEADER)
    (result,) = check_file(tmp_path / "kernel.cu", Options())
    places = {(each.kind, each.place) for each in result.findings if each.kind == "out of bounds"}
    assert places == {("out of bounds", ("kernel.cu", 7))}

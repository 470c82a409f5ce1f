"""Indices of 32 bits, where comments or the file's own numbers say that sizes are larger."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.judge.said_limits import number_of, said_examples, said_limits, said_matrices
from tilewright.lab.check.options import Options

PRODUCT = """
// SAID
__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[(size_t)row * k + l] * B[(size_t)l * n + col];
    C[INDEX] = sum;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""
OWN = """
int main()
{
    int m = 60000, n = 50000, k = 10;
    float *A, *B, *C;
    cudaMalloc(&A, sizeof(float) * m * k);
    cudaMalloc(&B, sizeof(float) * k * n);
    cudaMalloc(&C, sizeof(float) * m * n);
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""


def errors(folder, text):
    """The kinds and lines of the only kernel's errors."""
    path = folder / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return [
        (each.kind, text.split("\n")[(each.place[1] or 0) - 1]) for each in result.findings if each.severity == "error"
    ]


@pytest.mark.parametrize(
    ("said", "index", "is_wrong"),
    [
        ("matrices of up to 60000 x 60000", "row * n + col", True),
        ("matrices of up to 60000 x 60000", "(size_t)row * n + col", False),
        ("matrices of up to 40000 x 40000", "row * n + col", False),
        ("m, n and k from 1 to 500000, fewer than 2^31 elements", "row * n + col", False),
    ],
)
def test_matrices_of_a_size_that_is_said(tmp_path, said, index, is_wrong):
    """Their elements count: of sides alone, not all are so large at once."""
    found = errors(tmp_path, PRODUCT.replace("SAID", said).replace("INDEX", index))
    assert found == ([("integer overflow", f"    C[{index}] = sum;")] if is_wrong else [])


def test_the_own_numbers_of_a_file(tmp_path):
    """What `main` passes leaves 32 bits."""
    text = PRODUCT[: PRODUCT.index("void run")].replace("INDEX", "row * n + col") + OWN
    assert [kind for kind, _ in errors(tmp_path, text)] == ["integer overflow"]


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ("n up to 5 000 000 000", 5 * 10**9),
        ("1 <= n <= 3000", 3000),
        ("n von 1 bis 100.000.000", 10**8),
        ("n do 100 milionów", 10**8),
        ("n jusqu'à 3 milliards", 3 * 10**9),
        ("m, n up to 100", None),
        ("blocks of up to 256", None),
    ],
)
def test_limits_in_words(said, most):
    """A limit of one size that is named."""
    assert said_limits(said, ["n", "m"]).get("n") == most


def test_numbers_and_matrices():
    """Powers, and the sides of a matrix; a block's sides are none."""
    assert [number_of(each) for each in ("2^31", "1e9", "10^5", "7")] == [1 << 31, 10**9, 10**5, 7]
    assert said_matrices("blocks of 32 x 8, A is 60,000 x 50,000") == 3 * 10**9
    assert said_matrices("blocks of 32 x 8") == 0
    assert said_examples("per exemple m = 100000 i n = 80 000; n = 7, dim = 9", ["m", "n", "k"]) == {
        "m": 100_000,
        "n": 80_000,
    }

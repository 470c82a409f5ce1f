"""Named whole numbers of a file: found, and given other values on the same lines."""

from tilewright.lab.check.find.constants import VARIABLE, constants_of, with_values, with_variables
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

TEXT = """#define TILE 16 // #define TILE 17
#define W (32)
const int M = 64, N = 62;
constexpr unsigned int L = 64u;
static const int K = TILE*2;
#define LEN (33 * 1024)
const int SIDE = 1 << 10;
const double sqr2 = 1.4142;
int x = 5;
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""


def test_constants_are_found():
    """Numbers as such, and those that follow from them."""
    found = constants_of(TEXT)

    assert {n: c.value for n, c in found.items()} == {
        "TILE": 16,
        "W": 32,
        "M": 64,
        "N": 62,
        "L": 64,
        "K": 32,
        "LEN": 33792,
        "SIDE": 1024,
    }
    assert not found["K"].is_literal
    assert found["LEN"].is_literal
    assert found["SIDE"].is_literal


def test_other_values_on_the_same_lines():
    """Only values change."""
    text = with_values(TEXT, {"N": 33, "L": 7, "TILE": 8, "unknown": 1})

    assert "const int M = 64, N = 33;" in text
    assert "constexpr unsigned int L = 7;" in text
    assert text.startswith("#define TILE 8 // #define TILE 17\n")
    assert TEXT.count("\n") == text.count("\n")


def test_variables_where_a_kernel_uses_constants():
    """In the kernel, in macros with parameters and in functions of the device, and not where the host or a bound is."""
    text = """#define N 40
#define HALF (N / 2)
#define AT(i, j) ((i) * N + \\
                  (j))
__device__ int wrapped(int i) { if (i < N) { return i; } return i - HALF; }
__device__ float kept[N];
__global__ void k(float *a) { for (int i = 0; i < N; ++i) a[AT(i, wrapped(i))] = N; }
int main() { return N; }
"""
    lines = with_variables(text, ["N"], 7, 7).split("\n")
    n = VARIABLE + "N"

    assert lines[0] == f'extern "C" {{ __constant__ int {n}; }} '
    assert lines[1:3] == text.split("\n")[:2]
    assert lines[3] == f"#define AT(i, j) ((i) * {n} + \\"
    assert lines[5] == f"__device__ int wrapped(int i) {{ if (i < {n}) {{ return i; }} return i - (({n} / 2)); }}"
    assert lines[6] == "__device__ float kept[N];"
    assert lines[7].count(n) == 2
    assert lines[8:] == text.split("\n")[7:]


PRODUCT = """
#define M 40
#define N 30
#define K 20
__global__ void product(const float *A, const float *B, float *C)
{
    int j = blockIdx.x * 8 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    if (i >= M || j >= N) return;
    for (int l = 0; l < K; ++l) sum += A[i * K + l] * B[l * N + j];
    C[i * N + j] = sum;
}
void run(const float *A, const float *B, float *C)
{
    product<<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8)>>>(A, B, C);
}
"""


def test_one_compile_for_all_sizes_that_are_constants(tmp_path, monkeypatch):
    """They are variables in a right launch: only the launch that is counted, and subscripts, need the file's code."""
    built = []
    original = KernelFile._built

    def counting(self, *arguments, **named):
        built.append(named["instrument"])
        return original(self, *arguments, **named)

    monkeypatch.setattr(KernelFile, "_built", counting)
    path = tmp_path / "kernel.cu"
    path.write_text(PRODUCT)
    (result,) = check_file(path, Options())
    assert result.is_well()
    assert built.count(False) == 2 < len(result.cases)

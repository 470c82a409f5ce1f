"""What the host allocates and copies, evaluated: too few bytes, the wrong direction, an input that nothing fills."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

RIGHT = """
__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
    C[row * n + col] = sum;
}
void run(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *dA, *dB, *dC;
    size_t bytes = sizeof(float) * m * k;
    cudaMalloc(&dA, bytes);
    cudaMemcpy(dA, a, bytes, cudaMemcpyHostToDevice);
    bytes = sizeof(float) * k * n;
    cudaMalloc(&dB, bytes);
    cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice);
    cudaMalloc(&dC, m * n * sizeof(float));
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


def the_errors(tmp_path, text):
    """The only kernel's errors, as pairs of kind and line."""
    path = tmp_path / "own.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return [(each.kind, each.place[1]) for each in result.findings if each.severity == "error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "wrong", "named"),
    [
        ("    bytes = sizeof(float) * k * n;\n", "", "cudaMalloc(&dB"),
        ("cudaMalloc(&dC, m * n * sizeof(float));", "cudaMalloc(&dC, m * k * sizeof(float));", "cudaMalloc(&dC"),
        ("(c, dC, m * n * sizeof(float)", "(c, dC, m * n", "(c, dC, m * n"),
        ("(c, dC, m * n * sizeof", "(c, dC, k * n * sizeof", "(c, dC, k * n"),
        ("float), cudaMemcpyDeviceToHost", "float), cudaMemcpyHostToDevice", "(c, dC"),
        ("    cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice);\n", "", "cudaMalloc(&dB"),
    ],
)
def test_the_line_of_the_host(tmp_path, part, wrong, named):
    """Each mistake of the host is an error at its line, and the kernel is right."""
    assert RIGHT.count(part) == 1
    text = RIGHT.replace(part, wrong)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if named in each)

    assert ("host code", line) == the_errors(tmp_path, text)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "instead"),
    [
        (
            "    cudaMalloc(&dB, bytes);\n    cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice);\n",
            (
                "    bool ok = cudaMalloc((void **)&dB, bytes) == cudaSuccess\n"
                "        && cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice) == cudaSuccess;\n    if (!ok) return;\n"
            ),
        ),
        ("", ""),
        ("cudaMalloc(&dA, bytes);", "cudaMalloc(&dA, 4096);"),
        ("cudaMalloc(&dC, m * n", "cudaMalloc(&dC, 2 * m * n"),
        ("    cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice);\n", "    fill(dB, b, bytes);\n"),
        ("float *dA, *dB, *dC;", "float *dA, *dB, *dC; load(&dA, &dB);"),
    ],
)
def test_a_right_host_is_left_alone(tmp_path, part, instead):
    """Bytes of the file's own, more bytes than needed, and arrays that a function may fill."""
    assert the_errors(tmp_path, RIGHT.replace(part, instead, 1)) == []


@pytest.mark.slow
def test_bytes_of_a_narrower_type(tmp_path):
    """What is allocated is too little of every array, and the sizes that the launch passes are right."""
    right = RIGHT.replace("float", "double")
    wrong = right.replace("cudaMalloc(&dB, bytes)", "cudaMalloc(&dB, k * n * sizeof(float))")
    wrong = wrong.replace("cudaMalloc(&dC, m * n * sizeof(double))", "cudaMalloc(&dC, m * n * sizeof(float))")

    assert the_errors(tmp_path, right) == []
    assert the_errors(tmp_path, wrong) == [("host code", 17), ("host code", 19)]


EXCHANGED = """
__global__ void matvec(const float *matrix, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = 0; col < cols; ++col) sum += matrix[row * cols + col] * x[col];
    y[row] = sum;
}
void times(const float *a, const float *b, float *c, int rows, int cols)
{
    float *dA, *dB, *dC;
    cudaMalloc(&dA, rows * cols * sizeof(float));
    cudaMalloc(&dB, cols * sizeof(float));
    cudaMalloc(&dC, rows * sizeof(float));
    cudaMemcpy(dA, a, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b, cols * sizeof(float), cudaMemcpyHostToDevice);
    matvec<<<(rows + 127) / 128, 128>>>(dA, dB, dC, rows, cols);
    cudaMemcpy(c, dC, rows * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.slow
def test_arrays_in_each_others_place(tmp_path):
    """It is the launch that exchanges them, where all else agrees; else the allocation is too short."""
    assert the_errors(tmp_path, EXCHANGED) == []
    assert the_errors(tmp_path, EXCHANGED.replace("dA, dB, dC, rows", "dB, dA, dC, rows"))[:1] == [("host code", 18)]
    turned = EXCHANGED.replace("&dA", "&dX").replace("&dB", "&dA").replace("&dX", "&dB")
    assert the_errors(tmp_path, turned)[:1] == [("host code", 14)]


NAMED = RIGHT.replace("m * n * sizeof(float)", "ofC").replace(
    "    float *dA", "    size_t ofC = m * n * sizeof(float);\n    float *dA"
)


@pytest.mark.slow
def test_bytes_that_have_a_name(tmp_path):
    """The line that sets it is named, with the call as the other; the call, if it is of another array."""
    path = tmp_path / "own.cu"
    for was, now, line, other in (
        ("ofC = m * n", "ofC = m * k", 12, 20),
        ("cudaMalloc(&dC, ofC)", "cudaMalloc(&dC, bytes)", 20, None),
        ("", "", None, None),
    ):
        path.write_text(NAMED.replace(was, now) if was else NAMED)
        (result,) = check_file(path, Options())
        errors = [each for each in result.findings if each.severity == "error"]
        assert [each.place[1] for each in errors[:1]] == [line] * (line is not None)
        assert [each.other and each.other[1] for each in errors[:1]] == [other] * (line is not None)


@pytest.mark.slow
def test_one_name_for_the_bytes_of_all_arrays(tmp_path):
    """That is what is too little, and not what the launch passes."""
    text = RIGHT.replace("m * n * sizeof(float)", "bytes").replace("    bytes = sizeof(float) * k * n;\n", "")
    path = tmp_path / "own.cu"
    path.write_text(text.replace("size_t bytes = sizeof(float) * m * k", "size_t bytes = sizeof(float) * k"))
    (result,) = check_file(path, Options())
    first = next(each for each in result.findings if each.severity == "error")

    assert first.other is not None
    assert (first.place[1], first.other[1]) == (13, 19)


CLASS = """
__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = 0; col < cols; ++col) sum += A[row * cols + col] * x[col];
    y[row] = sum;
}
class Matrix {
    int rows_, cols_;
    float *a_, *x_, *y_;

public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols)
    {
        cudaMalloc(&a_, rows * cols * sizeof(float));
        cudaMalloc(&x_, cols * sizeof(float));
        cudaMalloc(&y_, rows * sizeof(float));
    }
    void times(const float *x, float *y)
    {
        cudaMemcpy(x_, x, cols_ * sizeof(float), cudaMemcpyHostToDevice);
        matvec<<<(rows_ + 127) / 128, 128>>>(a_, x_, y_, rows_, cols_);
        cudaMemcpy(y, y_, rows_ * sizeof(float), cudaMemcpyDeviceToHost);
    }
};
"""


@pytest.mark.slow
def test_the_arrays_of_a_class(tmp_path):
    """Allocated by another function than the one that copies and launches."""
    assert the_errors(tmp_path, CLASS) == []
    assert the_errors(tmp_path, CLASS.replace("(x_, x, cols_", "(x_, x, rows_")) == [("host code", 23)]


HELPED = """
static float *onDevice(size_t count)
{
    float *p;
    if (cudaMalloc((void **)&p, count * sizeof(float)) != cudaSuccess) throw 1;
    return p;
}
"""


@pytest.mark.parametrize(
    ("part", "wrong", "named"),
    [
        ("", "", ""),
        ("dB, b, sizeof(float) * k * n", "dB, b, sizeof(float) * m * k", "dB, b"),
        ("*dC = onDevice(m * n)", "*dC = onDevice(m * k)", "*dC = onDevice"),
    ],
)
def test_arrays_that_a_function_allocates(tmp_path, part, wrong, named):
    """`float *dB = onDevice(k * n)`: what is copied there, and how much it has, is seen as behind a cudaMalloc."""
    kernel = RIGHT[: RIGHT.index("void run")]
    host = """
void run(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *dA = onDevice(m * k), *dB = onDevice(k * n);
    float *dC = onDevice(m * n);
    cudaMemcpy(dA, a, sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b, sizeof(float) * k * n, cudaMemcpyHostToDevice);
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""
    text = kernel + HELPED + (host.replace(part, wrong) if part else host)
    lines = [number for number, each in enumerate(text.split("\n"), 1) if named and named in each]

    assert the_errors(tmp_path, text) == [("host code", line) for line in lines]

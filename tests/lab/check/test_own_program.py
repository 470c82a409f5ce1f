"""A file's own `main`: what its launches, its copies and its comparisons show of a kernel, right or wrong."""

import pytest

from tests.repeats import by_turns
from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.judge.own_program import with_own_program
from tilewright.lab.check.options import Options
from tilewright.lab.check.program.launching import Kernels
from tilewright.lab.check.program.program import run_main
from tilewright.lab.check.program.trying import runs_of, smaller_numbers, step_of
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.source import read_cuda_file

FILE = """#include <cstdio>
#include <cstdlib>
#include <vector>
struct Plan { int rows, cols, step; };
__constant__ float weights[3];
// each element of a row, with its neighbours to the left
__global__ void run(const float *in, float *out, Plan p)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= p.cols) return;
    float s = 0.0f;
    for (int k = 0; k < 3; ++k)
        if (c >= k * p.step) s += weights[k] * in[r * p.cols + c - k * p.step];
    out[r * p.cols + c] = s;
}
int main(int argc, char **argv)
{
    Plan p = {5, 300, 2};
    if (argc > 3) { p.rows = atoi(argv[1]); p.cols = atoi(argv[2]); p.step = atoi(argv[3]); }
    const float w[3] = {1.0f, 0.5f, 0.25f};
    std::vector<float> in(p.rows * p.cols), out(in.size());
    for (size_t i = 0; i < in.size(); ++i) in[i] = (float)(i % 7) + 1;
    float *dIn, *dOut;
    size_t bytes = in.size() * sizeof(float);
    cudaMalloc(&dIn, bytes);
    cudaMalloc(&dOut, bytes);
    cudaMemcpyToSymbol(weights, w, sizeof(w));
    cudaMemcpy(dIn, in.data(), bytes, cudaMemcpyHostToDevice);
    run<<<dim3((p.cols + 127) / 128, p.rows), 128>>>(dIn, dOut, p);
    cudaMemcpy(out.data(), dOut, bytes, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int r = 0; r < p.rows; ++r)
        for (int c = 0; c < p.cols; ++c) {
            float want = 0.0f;
            for (int k = 0; k < 3; ++k)
                if (c >= k * p.step) want += w[k] * in[r * p.cols + c - k * p.step];
            if (std::fabs(out[r * p.cols + c] - want) > 1e-4f) ++bad;
        }
    std::printf("%d wrong\\n", bad);
    return 0;
}
"""


def written(tmp_path, *changes):
    """The file with some of the text changed."""
    text = FILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "run.cu"
    path.write_text(text)
    return path


def judged(tmp_path, *changes):
    """What the program shows of the file's kernel, which is asked about."""
    path = written(tmp_path, *changes)
    asked = CheckResult(str(path), "run", refusal="run computes no product.")
    return with_own_program([asked], open_file(path), Options())[0]


def line_of(text):
    """The line of the file where something stands."""
    return next(number for number, line in enumerate(FILE.split("\n"), 1) if text in line)


def test_a_kernel_of_no_known_kind_is_right_if_the_programs_own_reference_says_so(tmp_path):
    """From the file to the verdict."""
    result = check_file(written(tmp_path), Options(cause_seconds=0.1))[0]
    assert result.is_well(), result.refusal
    assert any("own `main`" in note for note in result.notes)


def test_without_a_reference_it_is_asked_about(tmp_path):
    """What the program does not compare says nothing."""
    assert judged(tmp_path, ("if (std::fabs(out[r * p.cols + c] - want) > 1e-4f) ++bad;", "bad += want > 0;")).refusal


WRONG = {
    "another result": (("s += weights[k] * in", "s += weights[0] * in"), "wrong result of the program", "<<<"),
    "too few blocks": (("(p.cols + 127) / 128, p.rows", "p.cols / 128, p.rows"), "wrong result of the program", "<<<"),
    "too few bytes copied": (
        ("dIn, in.data(), bytes", "dIn, in.data(), bytes / 2"),
        "uninitialised read",
        "s += weights",
    ),
    "too many bytes copied": (
        ("= in.size() * sizeof(float)", "= 2 * in.size() * sizeof(float)"),
        "host code",
        "size_t bytes",
    ),
    "no guard": (("if (c >= p.cols) return;", ""), "out of bounds", "s += weights"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_that_the_program_shows_is_one(tmp_path, name):
    """The kind of the finding and its line."""
    change, kind, place = WRONG[name]
    result = judged(tmp_path, change)
    errors = [each for each in result.findings if each.severity == "error"]
    assert not result.refusal
    assert errors
    assert errors[0].kind == kind
    assert line_of(place) in (errors[0].place[1], (errors[0].other or ("", 0))[1])


def test_a_main_that_only_shows_the_launch_says_nothing(tmp_path):
    """Without inputs, what the kernel reads was never written."""
    shown = judged(tmp_path, ("    cudaMemcpy(dIn, in.data(), bytes, cudaMemcpyHostToDevice);\n", ""))
    assert shown.refusal


def test_a_kernel_that_is_wrong_alone_is_left_as_it_is(tmp_path):
    """Its own findings are nearer to the cause."""
    path = written(tmp_path)
    wrong = CheckResult(str(path), "run", cases=(CaseResult({}, "wrong"),))
    assert with_own_program([wrong], open_file(path), Options()) == [wrong]


def test_what_the_program_refuses_is_no_mistake(tmp_path):
    """Its own numbers remain."""
    refused = ("if (argc > 3) {", "if (argc > 3 && atoi(argv[2]) % 128) return 1; if (argc > 3) {")
    assert judged(tmp_path, refused).is_well()


def test_sizes_keep_to_what_a_file_says_of_them():
    """Multiples, vectors, pairs."""
    assert step_of("// any size") == 1
    assert step_of("// n must be a multiple of 32") == 64
    assert step_of("float4 v = rows[i];") == 8
    assert step_of("C[i * (n / 2) + j]") == 2
    assert step_of("C[i * (n / 2) + j] // n may be odd") == 1


def test_smaller_numbers_leave_the_same_rest_and_the_same_order():
    """What kernels name, and blocks, stay."""
    code = """
    #define TILE 256
    __global__ void k(float *a, int n) { if (n > TILE) a[0] = 1; }
    int main() { const int len = 1234, pitch = 1280; int m = 1024, threads = 512;
        k<<<m / TILE, threads>>>(a, len); use(pitch, m); }
    """
    found = smaller_numbers(code)
    assert found.keys() == {"len", "pitch", "m"}
    assert found["len"] % 64 == 1234 % 64
    assert found["pitch"] % 128 == 0
    assert found["m"] % 128 == 0
    assert found["m"] < found["len"] < found["pitch"] < 1024


@pytest.mark.parametrize("behind", ["", "  ", " // rows", "/* rows */", ") // rows"])
def test_other_values_of_macros(tmp_path, behind):
    """A comment behind a macro's number is none of it; another macro keeps its own."""
    number = "(1 << 12" if behind.startswith(")") else "4096"
    path = tmp_path / "sizes.cu"
    path.write_text(f"#define ROWS {number}{behind}\n#define ROWS_2 5\nint main() {{ return ROWS + ROWS_2; }}\n")
    file = read_cuda_file(path)
    assert run_main(file, Kernels(file), (), {"ROWS": 64}, 5.0).status == 69


MANAGED = """#include <cstdio>
#include <cmath>
// how many of its neighbours a number is above
__global__ void above(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (i > 0 && in[i] > in[i - 1]) + 2.0f * (i + 1 < n && in[i] > in[i + 1]);
}
int main()
{
    const int n = 500;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = (float)(i * 7 % 11);
    above<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        float want = (i > 0 && in[i] > in[i - 1]) + 2.0f * (i + 1 < n && in[i] > in[i + 1]);
        if (std::fabs(out[i] - want) > 1e-5f) ++bad;
    }
    std::printf("%d wrong\\n", bad);
    cudaFree(in);
    cudaFree(out);
}
"""
PINNED = (
    ("cudaMallocManaged(&out, n * sizeof(float));", "cudaMallocHost(&out, n * sizeof(float)); float *dOut;"),
    ("for (int i = 0; i < n; ++i) in[i]", "cudaMalloc(&dOut, n * sizeof(float)); for (int i = 0; i < n; ++i) in[i]"),
    ("(in, out, n);", "(in, dOut, n); cudaMemcpyAsync(out, dOut, n * sizeof(float), cudaMemcpyDeviceToHost);"),
)
"""The changes by which results come in a copy that may still be under way."""


@pytest.mark.parametrize(
    ("waits", "changes"),
    by_turns(["cudaDeviceSynchronize();", "cudaStreamSynchronize(0);", "cudaGetLastError();"], [(), PINNED]),
)
def test_a_host_that_reads_waits_before(tmp_path, waits, changes):
    """For a kernel that writes managed memory, and for a copy to pinned memory; asking for errors is no waiting."""
    text = MANAGED
    for old, new in (("cudaDeviceSynchronize();", waits), *changes):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "above.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    found = [each for each in result.findings if each.kind == "host code"]

    lines = [text.split("\n")[each.place[1] - 1].strip() for each in found if each.place[1] is not None]
    assert [line.partition("<")[0] for line in lines] == (["above"] if "Last" in waits else [])


def test_numbers_that_take_several_trips(tmp_path):
    """What a loop around a launch takes in each trip is less than one of them."""
    path = tmp_path / "trips.cu"
    path.write_text(
        """#include <cstdlib>
const int PART = 512;
__global__ void add(float *a, int from) { a[threadIdx.x] += from; }
int main(int argc, char **argv)
{
    int m = atoi(argv[1]), n = argv[2] ? atoi(argv[2]) : 9;
    float *a;
    cudaMalloc(&a, 4 * m * n);
    for (int at = 0; at < n; at += PART) { add<<<1, 32>>>(a, at); }
    return 0;
}
"""
    )
    numbers = [[int(number) for number in tried.arguments] for tried in runs_of(read_cuda_file(path), 20.0)]
    assert any(n > 512 > m for m, n in filter(None, numbers))

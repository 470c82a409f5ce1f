"""Which line of the host code fills C with zeros before the launch, and what a kernel that adds to C finds there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.find.zeroed import adds_atomically, allocating_line, says_added, zeroing_line
from tilewright.lab.check.judge.judging import assumed
from tilewright.lab.check.options import Options


def line_of(host: str) -> int | None:
    """The line found in host code that passes d_c as C."""
    opened = SimpleNamespace(file=SimpleNamespace(text=host))
    kernel: Any = SimpleNamespace(opened=opened, site=SimpleNamespace(arguments=["d_a", "d_b", "d_c", "n"]))
    given: Any = SimpleNamespace(roles=SimpleNamespace(arguments=("A", "B", "C", "k")))
    return zeroing_line(kernel, given)


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemset(d_c, 0, 4 * n);",
        "cudaMemsetAsync(d_c, 0, 4 * n, stream);",
        "cudaMemset((void *)d_c, 0, 4 * n);",
        "cudaMemset ( d_c , 0 , n );",
    ],
)
def test_zeros(call):
    """By either function, with any spaces and a cast."""
    assert line_of(f"int main() {{\n  {call}\n}}") == 2


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemset(d_c, 1, 4 * n);",
        "cudaMemset(d_c, 0xFF, 4 * n);",
        "cudaMemset(d_c, -1, 4 * n);",
        "cudaMemset(d_c, 00x, n);",
        "cudaMemset(d_c, value, n);",
        "cudaMemset(d_a, 0, 4 * n);",
        "cudaMemset(d_cc, 0, 4 * n);",
        "// cudaMemset(d_c, 0, 4 * n);",
        "memset(d_c, 0, 4 * n);",
    ],
)
def test_no_zeros(call):
    """Other values, other pointers, a comment, the host's function."""
    assert line_of(f"int main() {{\n  {call}\n}}") is None


KERNELS = """
__global__ void dot(const float *a, const float *b, float *sum, int n) { BODY }
__global__ void clear(float *p) { *p = 0.0f; }
__global__ void fill(float *p, float x) { p[threadIdx.x] = x; }
"""
ADDS = "atomicAdd(sum, a[0] * b[0]);"
LAUNCH = "dot<<<8, 128>>>(a, b, out, n);"


def opened_as(folder, host, body=ADDS, operation="dot"):
    """The kernel, and what was found of it."""
    path = folder / "dot.cu"
    path.write_text(KERNELS.replace("BODY", body) + host, encoding="utf-8")
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options())
    roles = Roles(operation, ("A", "B", "C", "inner"))
    return kernel, Found(roles, FormulaLaunch("128", "8"), 1, {}, fits=True, how="")


def expects_zeros(folder, host, body=ADDS, operation="dot"):
    """Whether the kernel is taken for one that adds to what the host set."""
    return adds_atomically(*opened_as(folder, host, body, operation))


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("cudaMalloc(&out, 4);", False),
        ('cudaMalloc((void **)&out, 4); printf("%p", out); CHECK(cudaFree(out));', False),
        ("cudaMalloc(&other, 4); *other = 0;", True),
        ("cudaMallocManaged(&out, 4); *out = 0;", True),
        ("cudaMallocManaged(&out, 4); out[0] = 0.0f;", True),
        ("cudaMallocManaged(&out, 4); out[0] = .0e3f;", True),
        ("cudaMallocManaged(&out, 4); *out = -0x00;", True),
        ("cudaMallocManaged(&out, 4); *out = start;", True),
        ("cudaMallocManaged(&out, 4); *out = 1.0f;", False),
        ("cudaMallocManaged(&out, 4); *out = 10;", False),
        ("cudaMallocManaged(&out, 4); if (*out == 0) n = 1;", False),
        ("cudaMallocManaged(&out, 4); if (n) n = 1; else *out = 0;", True),
        ("static float *out = nullptr; if (!out) cudaMalloc(&out, 4);", False),
        ("cudaMallocManaged(&out, 4); *out = 1; *out = 0;", True),
        ("cudaMalloc(&out, 4); cudaMemcpy(out, zeros, 4, cudaMemcpyHostToDevice);", True),
        ("cudaMalloc(&out, 4); cudaMemcpy(zeros, out, 4, cudaMemcpyDeviceToHost);", True),
        ("cudaMallocManaged(&out, 4); memset(out, 0, 4);", True),
        ("cudaMalloc(&out, 4); prepare(out);", True),
        ("cudaMalloc(&out, 4); prepare(sizeof(n), out);", True),
        ("cudaMalloc(&out, 4); prepare(other);", False),
        ("cudaMalloc(&out, 4); clear<<<1, 1>>>(out);", True),
        ("cudaMalloc(&out, 4); clear<<<1, 1>>>(other);", False),
        ("cudaMalloc(&out, 4); fill<<<1, 1>>>(out, 0);", False),
    ],
)
def test_what_a_kernel_that_adds_finds(tmp_path, statements, expected):
    """Zeros, where the host sets them or nothing shows that it does not; not those of other arrays, nor a first one."""
    host = f"int main() {{ float *a, *b, *out, *other, *zeros, start = 0; int n = 9;\n{statements}\n{LAUNCH} }}\n"

    assert expects_zeros(tmp_path, host) is expected


def test_what_comes_after_the_launch_does_not_count(tmp_path):
    """Another kernel, or a function."""
    for later in ("clear<<<1, 1>>>(out);", "prepare(out);"):
        host = f"int main() {{ float *a, *b, *out; int n = 9;\ncudaMalloc(&out, 4);\n{LAUNCH}\n{later} }}\n"
        assert not expects_zeros(tmp_path, host)


def test_a_name_in_another_function_is_another_array(tmp_path):
    """What happens to it there says nothing of this one; an array that this function was given may hold zeros."""
    other = "void other() { float *out; prepare(out); }\n"
    own = f"int main() {{ float *a, *b, *out; int n = 9; cudaMalloc(&out, 4); {LAUNCH} }}\n"
    given = f"void run(float *a, float *b, float *out, int n) {{ {LAUNCH} }}\n"
    assert not expects_zeros(tmp_path, other + own)
    assert expects_zeros(tmp_path, given)
    assert expects_zeros(tmp_path, "")


def test_other_kernels_expect_nothing(tmp_path):
    """One that stores, or adds to another array; a largest element may begin with any number."""
    host = f"int main() {{ float *a, *b, *out; int n = 9; cudaMallocManaged(&out, 4); *out = 5; {LAUNCH} }}\n"
    for body in ("*sum = a[0] * b[0];", "__shared__ float all; atomicAdd(&all, a[0]); *sum = all;"):
        assert not expects_zeros(tmp_path, host.replace("= 5", "= 0"), body)
    assert not expects_zeros(tmp_path, host)
    assert expects_zeros(tmp_path, host, operation="max")


def test_it_is_noted_that_c_holds_zeros(tmp_path):
    """A sum begins at zero, as a largest number does at the least."""
    kernel, found = opened_as(tmp_path, f"int main() {{ float *a, *b, *out; int n = 9; prepare(out); {LAUNCH} }}")

    assert assumed(kernel, found, Promise(None, "any sizes")) == [
        "C holds zeros before each launch: dot adds into it with atomics."
    ]


@pytest.mark.parametrize(
    "comment",
    ["// C += A * B", "/* C = C + A*B */", "// C[b] += A[b]^T * B[b] for each b", "// D := D + A B", "// C = A B + C"],
)
def test_a_product_that_is_added(comment):
    """To what C holds, as a comment says; code says nothing."""
    assert says_added(f"{comment}\nint main() {{}}")
    assert not says_added(f"void run() {{ {comment.strip('/* ')}; }}")


@pytest.mark.parametrize(
    "comment", ["// C' = A B + C", "// C = A + B", "// C = A B + beta C", "// s = s + a", "// C = A B"]
)
def test_what_is_no_such_comment(comment):
    """Another formula, or names of numbers."""
    assert not says_added(comment)


def test_where_it_was_allocated():
    """The last allocation of that pointer before the launch."""
    code = "cudaMalloc(&d_c, 4);\nCHECK(cudaMalloc((void **)&d_c, 8));\nk<<<1, 1>>>(d_c);\ncudaMalloc(&d_c, 4);"
    opened = SimpleNamespace(file=SimpleNamespace(text=code))
    site = SimpleNamespace(arguments=["d_c"], line=3, syntax=SimpleNamespace(text=""))
    kernel: Any = SimpleNamespace(opened=opened, site=site)
    given: Any = SimpleNamespace(roles=SimpleNamespace(arguments=("C",)))
    assert allocating_line(kernel, given) == 2
    kernel.site.arguments = ["other"]
    assert allocating_line(kernel, given) is None
    kernel.site = None
    assert allocating_line(kernel, given) is None

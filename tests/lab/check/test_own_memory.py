"""Memory that an object of the file's class allocates when it is made, and what a kernel that adds finds there."""

import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.find.zeroed import adds_atomically, allocating_line
from tilewright.lab.check.options import Options

FILE = """
void check(cudaError_t status);
void wipe(float *p);
template <typename T> class Buffer {
    T *p_ = nullptr;
public:
    explicit Buffer(size_t n) : p_(nullptr) { check(cudaMalloc(&p_, n * sizeof(T))); }
    Buffer(const Buffer &) = delete;
    Buffer(Buffer &&other) : p_(other.p_) { other.p_ = nullptr; }
    ~Buffer() { cudaFree(p_); }
    T *get() const { return p_; }
    T *cleared() { cudaMemset(p_, 0, 4); return p_; }
    void clear() { cudaMemset(p_, 0, 4); }
};
Buffer<float> zeros(size_t n);
__global__ void dot(const float *a, const float *b, float *sum, int n) { atomicAdd(sum, a[0] * b[0]); }
float run(const float *a, const float *b, int n) {
    Buffer<float> other(n), out(1);
    dot<<<8, 128>>>(a, b, out.get(), n);
    return 0;
}
"""


def line_left(tmp_path, *changes):
    """The line of the object whose memory the kernel adds to as it comes, from the class's on, if there is one."""
    text = FILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "dot.cu"
    path.write_text(text)
    opened = open_file(path)
    kernel = KernelFile(opened, next(each for each in opened.kernels if each.name == "dot"), Options())
    found = Found(Roles("dot", ("A", "B", "C", "inner")), FormulaLaunch("128", "8"), 1, {}, fits=True, how="")
    line = allocating_line(kernel, found)
    assert (line is None) == adds_atomically(kernel, found)
    return text.split("\n")[line - 1].strip() if line is not None else None


@pytest.mark.parametrize(
    "change",
    [
        (" ", " "),
        ("check(cudaMalloc(&p_, n * sizeof(T)));", "if (cudaMalloc((void **)&p_, n)) throw std::runtime_error(text);"),
        ("check(cudaMalloc(&p_,", "CHECK(cudaMalloc(reinterpret_cast<void **>(&this->p_),"),
        ("out.get()", "out.p_"),
        ("(1);", "{1};"),
        ("other(n), out(1);", "out(1), other(n);"),
        ("T *get() const { return p_; }", "operator T *() const { return p_; } T *get();"),
    ],
)
def test_what_is_left_as_it_comes(tmp_path, change):
    """Whatever the status goes to, and however the pointer is got."""
    changes = [change, ("out.get()", "out")] if "operator" in change[1] else [change]
    assert "out" in str(line_left(tmp_path, *changes)).partition("Buffer<float> ")[2]


@pytest.mark.parametrize(
    "change",
    [
        ("n * sizeof(T))); }", "n * sizeof(T))); cudaMemset(p_, 0, n); }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); clear(); }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); this->clear(); }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); CLEAR(p_); }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); *p_ = 0; }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); for (;;) p_[n] = 0; }"),
        ("n * sizeof(T))); }", "n * sizeof(T))); fill<<<1, 1>>>(p_); }"),
        ("Buffer(const Buffer &) = delete;", "Buffer(T *p) : p_(p) {}"),
        ("Buffer(const Buffer &) = delete;", "Buffer(T *p, int n) { cudaMalloc(&p_, 4); cudaMemcpy(p_, p, 4, k); }"),
        ("Buffer(const Buffer &) = delete;", "Buffer(int n, int m) : p_(made(n)) {}"),
        ("class Buffer {", "class Buffer : public Cleared<T> {"),
        ("out.get()", "out.cleared()"),
        ("out.get()", "out.q"),
        ("out(1)", "out(zeros(1))"),
        ("out(1)", "out(std::move(zeroed))"),
        ("    dot<<<", "    out.clear();\n    dot<<<"),
        ("    dot<<<", "    wipe(out.get());\n    dot<<<"),
        ("    dot<<<", "    float *p = out.get(); wipe(p);\n    dot<<<"),
        ("out(1);", "out = zeros(1);"),
        (
            "const float *b, int n) {\n    Buffer<float> other(n), out(1);",
            "const float *b, int n, Buffer<float> &out) {",
        ),
    ],
)
def test_what_may_be_filled(tmp_path, change):
    """By a constructor, one of the class's own functions or another, or before it is given."""
    assert line_left(tmp_path, change) is None

"""Objects that free device memory when they end: who copies one frees it twice."""

import pytest

from tilewright.lab.check.find.kernel_file import KernelFile, choose_kernels, open_file
from tilewright.lab.check.judge.owners_copied import copied_owners
from tilewright.lab.check.options import Options
from tilewright.lab.source.macros import code_only

OWNER = """
template <typename T> class Buffer {
    T *data_ = nullptr;
public:
    explicit Buffer(size_t n) { cudaMalloc(&data_, n * sizeof(T)); }
    ~Buffer() { if (data_) cudaFree(data_); }
    // SAYS
    T *get() const { return data_; }
};
__global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }
template <typename T> void fill(Buffer<T> PASSED, const T *from, size_t n) {
    cudaMemcpy(to.get(), from, n * sizeof(T), cudaMemcpyHostToDevice);
}
void run(const float *h, int n) {
    Buffer<float> x(n);
    // USED
    twice<<<1, 256>>>(x.get(), n);
}
"""
NO_COPY = "Buffer(const Buffer &) = delete; Buffer &operator=(const Buffer &) = delete;"


def lines(tmp_path, says="", passed="to", used=""):
    """The lines where something is copied."""
    text = OWNER.replace("// SAYS", says).replace("PASSED", passed).replace("// USED", used)
    path = tmp_path / "owner.cu"
    path.write_text(text)
    opened = open_file(path)
    kernel = KernelFile(opened, choose_kernels(opened, "")[0], Options())
    code = code_only(opened.file.text)
    return [code.count("\n", 0, at) + 1 for at, _ in copied_owners(kernel, code)]


@pytest.mark.parametrize(
    ("used", "line"),
    [
        ("fill(x, h, n);", 11),
        ("fill<float>(x, h, n);", 11),
        ("Buffer<float> y = x;", 16),
        ("Buffer<float> y(x);", 16),
        ("auto y = x;", 16),
        ("x = Buffer<float>(2 * n);", 16),
    ],
)
def test_of_a_class_that_says_nothing(tmp_path, used, line):
    """An error where it is copied, or where a function takes the copy."""
    assert lines(tmp_path, used=used) == [line]


@pytest.mark.parametrize("used", ["", "auto &y = x;", "Buffer<float> y(n);", "float *y = x.get();", "int m = n;"])
def test_no_copy_is_none(tmp_path, used):
    """A reference, a new object and its pointer."""
    assert not lines(tmp_path, used=used)


def test_a_reference_is_none(tmp_path):
    """A function that takes a reference takes no copy."""
    assert not lines(tmp_path, passed="&to", used="fill(x, h, n);")


@pytest.mark.parametrize(
    "says",
    [
        NO_COPY,
        "Buffer(const Buffer &other);  Buffer &operator=(const Buffer &other);",
        "Buffer(Buffer &&other) : data_(other.data_) { other.data_ = nullptr; }",
        "std::unique_ptr<int> own_;",
    ],
)
def test_a_class_that_says_it_is_left_alone(tmp_path, says):
    """It deletes its copies, writes them, moves, or holds what can't be copied."""
    assert not lines(tmp_path, says, used="fill(x, h, n); auto y = x; x = Buffer<float>(2 * n);")

"""What of a text is the device's."""

from __future__ import annotations

import textwrap

import pytest

from tests.lab.source.in_process import compiled
from tilewright.lab.source import CompileError, CudaFile, SourceError, device_part, read_cuda_file
from tilewright.lab.source.compiling import explained
from tilewright.lab.source.preparing import prepare

KERNEL = "__global__ void k(float* a) { a[0] = 1; }\n"


def kept(text):
    """What is kept of a text, blank lines left out."""
    part = device_part(textwrap.dedent(text))
    return [line.strip() for line in part.text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "line",
    [
        "int host(int x) { return x; }",
        "int host(int x);",
        "static inline int host(int x) { return x; }",
        "template <typename T> T host(T x) { return x; }",
        'extern "C" int host(int x) { return x; }',
        "int counter = 0;",
        "float *h_A, *h_B;",
        "const float *h_A;",
        "static std::vector<float> values;",
        'const std::string name = "x";',
        "struct Host { int x; Host(int y) : x(y) {} };",
        "void Class::method() {}",
        "auto lambda = [](int x) { return x; };",
        "using std::cout;",
        "using namespace boost::numeric;",
        "__host__ int host(int x) { return x; }",
        "template int host<int>(int);",
        "extern int errno_like;",
        "int main() { return 0; }",
    ],
)
def test_host_code_is_blanked(line):
    """Declarations of the host's that no device code names."""
    assert kept(line + "\n" + KERNEL) == [KERNEL.strip()]


@pytest.mark.parametrize(
    "line",
    [
        "__device__ int f(int x) { return x; }",
        "__host__ __device__ int f(int x) { return x; }",
        "__device__ int f(int x);",
        "template <int N> __device__ __forceinline__ int f() { return N; }",
        "__constant__ float weights[4];",
        "__device__ float table[4][4];",
        "__managed__ int flag;",
        'extern "C" __global__ void other(int* a) { a[0] = 1; }',
        "__global__ void __launch_bounds__(64) other(int* a) { a[0] = 1; }",
        "__global__ void other(int* a);",
        "struct Functor { float x; __device__ float operator()(float y) const { return x * y; } };",
        "using namespace std;",
        "#define WIDTH 16",
        "#include <stdio.h>",
        "namespace inner { __device__ int f() { return 1; } }",
        ";",
    ],
)
def test_device_code_stays(line):
    """Also in a file with host code."""
    assert kept(line + "\nint main() { return 0; }\n" + KERNEL) == [line, KERNEL.strip()]


@pytest.mark.parametrize(
    ("declaration", "use"),
    [
        ("const int N = 4;", "N"),
        ("static const double PI = 3.14;", "PI"),
        ("constexpr int twice(int x) { return 2 * x; }", "twice(2)"),
        ("constexpr int A = 1, B = 2;", "B"),
        ("enum { FIRST, SECOND };", "SECOND"),
        ("enum class Kind : int { one = 1 };", "(int)Kind::one"),
        ("typedef float real;", "(real)1"),
        ("using real = float;", "(real)1"),
        ("struct Pair { int x, y; };", "Pair{1, 2}.y"),
        ("template <typename T> struct Zero { static constexpr T value = 0; };", "Zero<int>::value"),
        ("template <typename T> constexpr T one = T(1);", "one<int>"),
    ],
)
def test_what_device_code_names_stays(declaration, use):
    """Constants, types and constexpr functions: as long as device code, directly or through others, names them."""
    main = "int main() { return 0; }\n"
    kernel = f"__global__ void k(float* a) {{ a[0] = {use}; }}"
    through = f"#define USE {use}\n__global__ void k(float* a) {{ a[0] = USE; }}"

    assert kept(f"{declaration}\n{main}{kernel}\n") == [declaration, kernel]
    assert kept(f"{declaration}\n{main}{through}\n") == [declaration, *through.splitlines()]
    assert kept(f"{declaration}\n{main}{KERNEL}") == [KERNEL.strip()]
    compiled(CudaFile(read_cuda_file(__file__).path, f"{declaration}\n{main}{kernel}\n"))


def test_only_host_members_of_a_class_go():
    """The fields and the device's members stay, so that a kernel may take it as an argument."""
    text = """
        #include <string>
        struct Shape {
            int rows, cols;
            Shape() = default;
            Shape(int r, int c) : rows(r), cols(c) {}
            virtual void draw();
            __host__ __device__ int size() const { return rows * cols; }
            std::string text() const { return "x"; }
            constexpr int rank() const { return 2; }
            struct Inner { int z; void hidden() {} } inner;
        };
        __global__ void k(Shape s, int* a) { a[0] = s.size() + s.rank() + s.inner.z; }
    """
    assert kept(text) == [
        "#include <string>",
        "struct Shape {",
        "int rows, cols;",
        "Shape() = default;",
        "__host__ __device__ int size() const { return rows * cols; }",
        "constexpr int rank() const { return 2; }",
        "struct Inner { int z;                  } inner;",
        "};",
        "__global__ void k(Shape s, int* a) { a[0] = s.size() + s.rank() + s.inner.z; }",
    ]
    program, _ = compiled(CudaFile(read_cuda_file(__file__).path, textwrap.dedent(text)))
    assert ".entry _Z1k5ShapePi" in str(program.code)


def test_directives_in_blanked_code_stay():
    """What a function of the host defines may be used behind it, and its #if must end."""
    text = """
        int main()
        {
        #define N 10
        #ifdef DEBUG
            puts("debug");
        #else
        #   define M \\
                20
        #endif
        #pragma omp parallel
            return 0;
        }
        __global__ void k(float* a) { a[N] = M; }
    """
    assert kept(text) == [
        "#define N 10",
        "#ifdef DEBUG",
        "#else",
        "#   define M \\",
        "20",
        "#endif",
        "__global__ void k(float* a) { a[N] = M; }",
    ]


@pytest.mark.parametrize(
    ("host", "use", "said"),
    [
        ("int limit(int x) { return x; }", "limit(2)", r"limit.*a function of the host \(k\.cu:1\); put __device__"),
        ("int size = 4;", "size", r"size.*a variable of the host \(k\.cu:1\); make it const"),
    ],
)
def test_an_error_says_what_was_blanked(tmp_path, host, use, said):
    """A kernel that names what is the host's gets an error that says so."""
    path = tmp_path / "k.cu"
    path.write_text(f"{host}\n__global__ void k(float* a) {{ a[0] = {use}; }}\n")
    file = read_cuda_file(path)

    with pytest.raises(CompileError) as error:
        compiled(file)

    assert str(explained(error.value, prepare(file))).startswith("k.cu:2: ")
    with pytest.raises(CompileError, match=said):
        raise explained(error.value, prepare(file))


def test_deep_brackets_are_refused():
    """In a sentence with the line."""
    with pytest.raises(SourceError, match=r"the file:2: brackets are nested deeper than 400"):
        device_part("\n" + "(" * 500)


@pytest.mark.parametrize("text", ["const int n = %s;", "// tilewright: multiples %s"])
def test_numbers_with_thousands_of_digits_are_refused(text):
    """Python takes none from 4,300 digits on; in comments, too, for a launch may stand there."""
    with pytest.raises(SourceError, match=r"the file:2: a number has 5,000 digits; at most 1,000 are read"):
        device_part("\n" + text % ("9" * 5000))
    device_part(text % ("9" * 1000))


@pytest.mark.parametrize(
    "text", ["", "\n\n", "}}}}", "((((", "#if\n#if\n", "template <", "/* open", '"open', 'R"(', "\\", "#define"]
)
def test_nonsense_is_survived(text):
    """Whatever it is, it has no kernels and as many lines."""
    part = device_part(text)

    assert part.kernels == []
    assert part.text.count("\n") == text.count("\n")


def test_an_error_says_what_was_not_found(tmp_path):
    """An empty file stood in for a header whose operators are missed."""
    path = tmp_path / "k.cu"
    path.write_text('#include "my_vectors.h"\n__global__ void k(float4* a) { a[0] = a[1] + a[2]; }\n')
    file = read_cuda_file(path)

    with pytest.raises(CompileError) as error:
        compiled(file)

    assert str(explained(error.value, prepare(file))).endswith("(not found, so empty: my_vectors.h)")


@pytest.mark.parametrize(
    "opened",
    [
        "namespace {",
        "namespace\n{",
        "namespace /* ours */ {",
        "namespace // ours\n{",
        "namespace [[gnu::x]] {",
        "inline namespace{",
        "namespace{",
    ],
)
def test_a_kernel_in_a_namespace_without_a_name(tmp_path, opened):
    """It is compiled although no other file could launch it, on the lines that it has in the file."""
    path = tmp_path / "k.cu"
    path.write_text(f"{opened} {KERNEL.strip()} }}\n")
    program, prepared = compiled(read_cuda_file(path))

    assert prepared.texts({})[0].count("\n") == opened.count("\n") + 1
    assert ".entry _Z" in str(program.code)

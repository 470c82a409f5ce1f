"""Host functions that are templates of types get those that their calls name."""

from tilewright.lab.source.host_templates import with_types_of_calls

TEXT = """
template <typename In, typename Sum>
__global__ void sums(const In *x, Sum *out, int n);

template <typename In, typename Sum>
void run(const In *x, Sum *out, int n)
{
    // In and Sum
    sums<In, Sum><<<1, 64, 64 * sizeof(Sum)>>>(x, out, n);
}
template <typename T>
T other(T value) { return value; }
"""
CALLS = "void both(const float *x, double *out) { run<float, double>(x, out, 5); other<int>(1); }\n"


def test_a_function_that_launches_has_the_types_of_its_calls():
    """Comments, the kernel and functions that launch nothing stay."""
    now = with_types_of_calls(TEXT + CALLS)

    assert "sums<float, double><<<1, 64, 64 * sizeof(double)>>>(x, out, n);" in now
    assert "void run(const float *x, double *out, int n)" in now
    assert "// In and Sum" in now
    assert "T other(T value)" in now
    assert now.count("\n") == (TEXT + CALLS).count("\n")


def test_what_no_call_names_alike_stays():
    """No call, or calls with several types: each instance is launched on its own."""
    several = TEXT + CALLS + "template void run<double, double>(const double *, double *, int);\n"

    assert with_types_of_calls(TEXT) == TEXT
    assert with_types_of_calls(several) == several


def test_of_several_numbers_the_largest_is_taken():
    """A launch for short rows and one for long ones: types that all name alike are taken, too."""
    text = """
template <typename T, int LANES>
void run(const T *x, int n) { sums<T, LANES><<<n / LANES, LANES>>>(x, n); }
void both(const float *x, int n) { if (n < 9) run<float, 8>(x, n); else run<float, 32>(x, n); }
"""

    assert "sums<float, 32><<<n / 32, 32>>>(x, n);" in with_types_of_calls(text)

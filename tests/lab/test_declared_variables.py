"""What a kernel's source declares."""

from tilewright.lab.declared_variables import NOTHING, declared_by_name

SOURCE = """
__constant__ float weights[3] = {1, 2, 3};
static __device__ int counter, other;
__global__ void other_kernel(int* p) { int elsewhere = 0; p[0] = elsewhere; }
template <int N> __global__ void k(const float* __restrict__ A, float (*rows)[N], int n)
{
    __shared__ float tile[N][N + 1];
    extern __shared__ char raw[];
    const unsigned int x = threadIdx.x, y[3] = {1};
    float* place = nullptr;
    for (int i = 0, j = 3; i < j; ++i) { float4 wide; }
    for (int i = 0; i < 2; ++i) { }
}
"""


def test_parameters_shared_automatic_and_outside():
    """Each with its declaration; an `i` of two loops is one."""
    found = declared_by_name(SOURCE, "k")

    assert [(each.name, each.is_pointer) for each in found.parameters] == [("A", True), ("rows", True), ("n", False)]
    assert [each.text for each in found.shared] == ["__shared__ float tile[N][N + 1]", "extern __shared__ char raw[]"]
    assert [each.name for each in found.automatic] == ["x", "y", "place", "i", "j", "wide"]
    assert [each.is_array for each in found.automatic] == [False, True, False, False, False, False]
    assert [(each.name, each.line) for each in found.outside] == [("weights", 2), ("counter", 3), ("other", 3)]
    assert found.outside[0].text == "__constant__ float weights[3]"


def test_macros_are_replaced_by_words():
    """`N` but not the `N` in `NN`."""
    found = declared_by_name(SOURCE, "k").with_macros({"N": "16", "til": "x"})

    assert found.shared[0].text == "__shared__ float tile[16][16 + 1]"


def test_an_unknown_kernel_declares_nothing():
    """No guess."""
    assert declared_by_name(SOURCE, "kk") == NOTHING

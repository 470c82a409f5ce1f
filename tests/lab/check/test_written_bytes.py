"""Numbers of bytes in host code: lengths of containers and sizes of types are written out where they are known."""

import pytest

from tilewright.lab.check.judge.host_slips import short_copies
from tilewright.lab.check.judge.written_bytes import is_of_handle, length_of, written_out

CODE = """template <typename T> void run(T *x) {
std::vector<float> a((size_t)m * k), b(k * n, 1.0f), c; c.resize(m * n);
std::vector<float> d(a.begin(), a.end());
float whole[64], *p = new float[m]; T *q;
"""
MEMSET = "cudaMalloc(&c, m * n * sizeof(float)); cudaMemset(c, 0, {bytes}); add<<<1, 1>>>(c);"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a.size() * sizeof(float)", "((size_t)m * k) * sizeof(float)"),
        ("sizeof(float) * b.size()", "sizeof(float) * (k * n)"),
        ("c.size()", "(m * n)"),
        ("d.size()", "d.size()"),
        ("m * sizeof(T)", "m * 2"),
        ("m * sizeof *p", "m * 2"),
        ("m * sizeof(p[0])", "m * 2"),
        ("sizeof(whole)", "sizeof(whole)"),
        ("sizeof(q)", "8"),
    ],
)
def test_what_is_known_is_written_out(text, written):
    """A vector's length is what it is made with; a type that is not known has an element's bytes, a pointer eight."""
    assert written_out(text, CODE, 2) == written


@pytest.mark.parametrize("more", ["a.resize(3);", "void own(const std::vector<float> &a, int n) {"])
def test_a_vector_that_is_made_twice_or_given_has_no_length(more):
    """Which of both is meant is not seen."""
    assert length_of("a", CODE) != ""
    assert length_of("a", CODE + more) == ""


@pytest.mark.parametrize(("bytes_set", "slips"), [("m * n", 1), ("m * n * sizeof(float)", 0), ("n", 0)])
def test_a_memset_of_elements_for_bytes(bytes_set, slips):
    """It sets a quarter of the array; fewer elements may be meant."""
    assert len(list(short_copies(MEMSET.format(bytes=bytes_set)))) == slips


@pytest.mark.parametrize(
    ("code", "is_one"),
    [
        ("void run(float *x) {", True),
        ("void run() { std::vector<float> x(n);", True),
        ("void run() { static float y[9], x[9];", False),
        ("void kernel(float *x) {\n}\nvoid run() { float x[9];", False),
        ("void kernel(float *x) {\n}\nvoid run() {", False),
    ],
)
def test_the_bytes_of_a_pointer_or_a_container_are_few(code, is_one):
    """Those of an array are all of it, whatever has the same name elsewhere."""
    assert is_of_handle("sizeof(x)", code) == is_one

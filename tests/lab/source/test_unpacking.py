"""Structs by value: kernels take their fields, launches pass them, lines stay; what is more than its fields stays."""

from __future__ import annotations

import textwrap

import pytest

from tilewright.lab.source import ResolvedLaunch, device_part, resolve_launch, resolve_number
from tilewright.lab.source.unpacking import unpacked

KERNEL = "__global__ void k(S s, float* x) { x[0] = s.a; }\n"


def part_of(text):
    """What is known of a text once its kernels take fields, on as many lines."""
    text = textwrap.dedent(text)
    result = unpacked(text)
    assert result.count("\n") == text.count("\n")
    return device_part(result)


def test_parameters_are_the_fields():
    """Each with its own type; the body has the struct."""
    part = part_of("typedef struct { int w, h; float *e; } M;\n__global__ void k(const M A, int n) { A.e[n] = A.w; }")
    (kernel,) = part.kernels

    assert [(p.name, p.element_type, p.is_pointer) for p in kernel.parameters] == [
        ("A.w", "int", False),
        ("A.h", "int", False),
        ("A.e", "float", True),
        ("n", "int", False),
    ]
    assert "const M A{" in part.text


@pytest.mark.parametrize(
    "struct",
    [
        "struct S { int a; S(int n) : a(n) {} };",
        "struct B { int b; }; struct S : B { int a; };",
        "struct S { int a[2]; };",
        "struct S { float** a; };",
        "struct I { int i; }; struct S { int a; I inner; };",
        "struct S { int a : 4; };",
        "struct S { int a; int a; };",
        "struct S { private: int a; };",
        "struct S { virtual __device__ int f() { return 1; } int a; };",
        "struct S;",
        "class S { int a; };",
    ],
)
def test_what_is_more_than_its_fields_stays(struct):
    """Its text is not touched."""
    text = f"{struct}\n{KERNEL}"

    assert unpacked(text) == text


@pytest.mark.parametrize(
    "statements",
    [
        "S s = {7, 9}; k<<<s.b, 32>>>(s, x);",
        "S s{7, 9}; k<<<s.b, 32>>>(s, x);",
        "S s = {.a = 7, .b = 9}; k<<<s.b, 32>>>(s, x);",
        "S s; s.a = 7; s.b = s.a + 2; k<<<s.b, 32>>>(s, x);",
        "S s, t; t.b = 9; t.a = 7; s = t; k<<<s.b, 32>>>(s, x);",
        "S s;\n s.a = s.b = 7;\n s.b += 2; k<<<s.b, 32>>>(s, x);",
        "S t = {\n 7,\n 9};\n S s = t; k<<<s.b, 32>>>(s, x);",
        "k<<<9, 32>>>(S{7, 9}, x);",
        "k<<<9, 32>>>({7, 9}, x);",
    ],
)
def test_what_the_host_passes_is_known(statements):
    """Fields assigned, braces, copies."""
    (site,) = part_of(f"struct S {{ int a, b; }};\n{KERNEL}void f(float* x) {{ {statements} }}").launches

    assert [resolve_number(site, text, {}) for text in site.arguments[:2]] == [7, 9]
    assert site.arguments[2] == "x"
    assert resolve_launch(site, {}) == ResolvedLaunch((9, 1, 1), (32, 1, 1), 0)


def test_a_launch_whose_struct_is_unknown_stays():
    """It then passes another number of arguments than the kernel takes, and says nothing of them."""
    (site,) = part_of(f"struct S {{ int a, b; }};\n{KERNEL}void f(float* x) {{ k<<<1, 1>>>(make(), x); }}").launches

    assert site.arguments == ["make()", "x"]


def test_templates_and_functors():
    """The template's types are those of the host's variables; a struct without fields is no parameter."""
    part = part_of(
        """
        template <class T> struct View { T* data; int n; __device__ T& at(int i) const { return data[i]; } };
        struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
        template <int B, class T, class Op>
        __global__ void k(View<const T> a, View<T> b, Op op) { b.at(B) = op(a.at(0)); }
        void f(double* x) { View<const double> u{x, 5}; View<double> v{x, 6}; k<3><<<1, 1>>>(u, v, Twice{}); }
        """
    )
    (kernel,), (site,) = part.kernels, part.launches

    assert [p.name for p in kernel.parameters] == ["a.data", "a.n", "b.data", "b.n"]
    assert [p.is_const for p in kernel.parameters if p.is_pointer] == [True, False]
    assert site.template_arguments == ["3", "double", "Twice"]
    assert [resolve_number(site, site.arguments[i], {}) for i in (1, 3)] == [5, 6]


def test_a_declaration_in_front_goes():
    """It would declare another kernel."""
    part = part_of("struct S { int a; };\n__global__ void k(S s, float* x);\n" + KERNEL)

    assert part.text.count("void k(") == 1


MADE = """
typedef struct { int rows, cols; float *data; } M;
__global__ void k(M A) { A.data[0] = A.rows; }
M made(int r, int c) { M m = {r, c, (float *)calloc(r * c, 4)}; return m; }
M sized(int r, int c) { M m; m.rows = r; m.cols = c; cudaMalloc(&m.data, r * c * 4); return m; }
M copied(M h) { M d = h; cudaMalloc(&d.data, h.rows * h.cols * 4); return d; }
M turned(const M &h) { M d; d.rows = h.cols; d.cols = h.rows; return d; }
void filled(M *m, int r, int c) { m->rows = r; m->cols = c; cudaMalloc(&m->data, r * c * 4); }
void given(M &m, int r, int c) { m.rows = r; m.cols = c; }
M either(int r, int c) { M m = {r, c, 0}; if (r > c) m.rows = c; return m; }
M first(int r, int c) { M m = {r, c, 0}; if (r > c) return m; m.rows = c; return m; }
M outside(int r, int c) { M m = {r, c, 0}; fill(&m); return m; }
"""


@pytest.mark.parametrize(
    ("statements", "rows", "cols"),
    [
        ("M d = made(p, q);", 5, 7),
        ("M d = sized(p, q + 1);", 5, 8),
        ("M h = made(p, q); M d = copied(h);", 5, 7),
        ("M h = made(p, q), d = turned(h);", 7, 5),
        ("auto d = copied(made(q, p));", 7, 5),
        ("M d; filled(&d, p, q);", 5, 7),
        ("M d; given(d, p, 2 * q);", 5, 14),
        ("M h = {p, q, 0}; M d; d = turned(h);", 7, 5),
        ("M d = either(p, q);", None, None),
        ("M d = first(p, q);", None, None),
        ("M d = outside(p, q);", None, None),
        ("M d = elsewhere(p, q);", None, None),
    ],
)
def test_what_functions_make_is_known(statements, rows, cols):
    """A function's struct has what its statements set, without branches; others are not known."""
    part = part_of(MADE + f"int main() {{ int p = 5, q = 7; {statements} k<<<1, 1>>>(d); }}")
    (launch,) = part.launches

    found = [resolve_number(launch, text, {}) for text in launch.arguments[:2]]
    assert [each if isinstance(each, int) else None for each in found] == [rows, cols]

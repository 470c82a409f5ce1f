"""Host code that is run step by step: it computes as C++ does, and what is not read stops it without a word."""

import pytest

from tilewright.lab.check.program.launching import Kernels
from tilewright.lab.check.program.program import run_main
from tilewright.lab.source import CudaFile

BODIES = {
    "whole division goes towards zero": ("int a = -7; return a / 2 + 13;", 10),
    "a rest has the sign of what is divided": ("int a = -7; return a % 3 + 5;", 4),
    "int wraps around": ("int a = 2147483647; a = a + 1; return a < 0 ? 3 : 4;", 3),
    "size_t does not": ("size_t a = 2147483647; a = a + 1; return a > 0 ? 3 : 4;", 3),
    "unsigned has no negative numbers": ("unsigned a = 1; a -= 2; return a > 5 ? 3 : 4;", 3),
    "float is rounded": ("float a = 16777216.0f; a += 1.0f; return a == 16777216.0 ? 3 : 4;", 3),
    "double is not": ("double a = 16777216.0f; a += 1.0f; return a == 16777216.0 ? 3 : 4;", 4),
    "a narrow type is computed as int": ("unsigned char a = 200, b = 100; return (a + b) / 100;", 3),
    "a cast binds first": ("int m = 65536; return (size_t)m * m > 0 && m * m == 0 ? 3 : 4;", 3),
    "a pointer moves by elements": ("int a[4] = {1, 2, 3, 4}; int *p = a + 1; return *(p + 2) + p[-1];", 5),
    "an array of arrays lies row by row": ("int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; return a[1][0] + a[0][2];", 7),
    "a reference is the variable": ("int a = 1; int &b = a; b = 6; return a;", 6),
    "a vector is copied": (
        "std::vector<int> a(3, 2); std::vector<int> b = a; b[0] = 9; return a[0] + (int)b.size();",
        5,
    ),
    "a loop over a list": ("int s = 0; for (int n : {3, 4}) s += n; return s;", 7),
    "a loop over places": ("std::vector<int> a(3); for (auto &x : a) x = 2; return a[0] + a[1] + a[2];", 6),
    "break and continue": (
        "int s = 0; for (int i = 0; i < 9; i++) { if (i == 1) continue; if (i == 4) break; s += i; } return s;",
        5,
    ),
    "a case falls through": (
        "int s = 0; switch (2) { case 1: s = 9; case 2: s += 1; case 3: s += 2; break; default: s = 7; } return s;",
        3,
    ),
    "a lambda sees what is around it": (
        "int s = 1; auto add = [&](int n) { s += n; return s; }; add(2); return add(3);",
        6,
    ),
    "a struct is passed as a copy": ("Pair p{1, 2}; return change(p) + p.x;", 6),
    "a template is deduced": ("std::vector<float> v(4, 1.5f); return (int)total(v);", 6),
    "a method returns a place": ("Grid g(2, 3); g.at(1, 2) = 5; return g.at(1, 2) + g.width();", 8),
    "a macro is replaced": ("return TWICE(1 + 2) + LIMIT;", 10),
    "numbers of the command line are texts": ("return argc > 1 ? 1 : LIMIT;", 4),
    "an algorithm fills": (
        "std::vector<int> v(4); std::iota(v.begin(), v.end(), 1); return std::accumulate(v.begin(), v.end(), 0);",
        10,
    ),
}
FILE = """#include <vector>
#define LIMIT 4
#define TWICE(x) (2 * (x))
struct Pair { int x, y; };
struct Grid {
    int w;
    std::vector<int> v;
    Grid(int h, int width) : w(width), v(h * width) {}
    int &at(int r, int c) { return v[r * w + c]; }
    int width() const { return w; }
};
int change(Pair p) { p.x = 4; return p.x + 1; }
template <typename T> T total(const std::vector<T> &v) { T s = 0; for (T x : v) s += x; return s; }
"""


def ran(tmp_path, text, arguments=(), seconds=5.0):
    """What a run of a file's main shows."""
    path = tmp_path / "program.cu"
    file = CudaFile(path, text)
    return run_main(file, Kernels(file), arguments, {}, seconds)


@pytest.mark.parametrize("name", BODIES)
def test_host_code_computes_as_in_cpp(tmp_path, name):
    """Each body ends with the status that C++ gives it."""
    body, status = BODIES[name]
    assert ran(tmp_path, FILE + "int main(int argc, char **argv) { " + body + " }").status == status


def test_what_is_not_read_stops_the_program_and_is_no_fault(tmp_path):
    """Nothing is said of a program that calls what nobody knows."""
    seen = ran(tmp_path, "int main() { return unheard_of(3); }")
    assert seen.status is None
    assert not seen.is_fault
    assert "unheard_of" in seen.stopped


def test_what_is_not_read_does_not_matter_where_it_is_not_reached(tmp_path):
    """Only what runs must be read."""
    assert ran(tmp_path, "int main() { if (1 > 2) unheard_of(3); return 5; }").status == 5


def test_an_endless_loop_ends_with_its_time(tmp_path):
    """The clock ends it."""
    seen = ran(tmp_path, "int main() { for (;;) {} }", seconds=0.2)
    assert seen.is_too_long
    assert not seen.is_fault


def test_a_program_that_exits_has_its_status(tmp_path):
    """Also from within another function."""
    assert ran(tmp_path, "void leave() { exit(7); } int main() { leave(); return 1; }").status == 7


def test_arguments_are_read_as_numbers(tmp_path):
    """Those of the command line."""
    text = "int main(int argc, char **argv) { return argc == 3 ? atoi(argv[1]) * std::stoi(argv[2]) : 0; }"
    assert ran(tmp_path, text, ("3", "4")).status == 12

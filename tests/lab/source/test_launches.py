"""Launches are evaluated: constants, dim3, macros, branches, functions of one line; what isn't known is said."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import is_capped, own_launch
from tilewright.lab.source import ResolvedLaunch, device_part, host_type, read_cuda_file, resolve_launch, resolve_number
from tilewright.lab.source.callers import passed_number
from tilewright.lab.source.names_behind import names_behind
from tilewright.lab.source.preparing import prepare

SEEDS = Path(__file__).parents[1] / "seeds"


def launch_of(text):
    """The last launch of a text."""
    return device_part(textwrap.dedent(text)).launches[-1]


def resolved(statements, before="", **sizes):
    """Grid, block and shared bytes of the launch that ends `statements`, or the sentence that says why not."""
    site = launch_of(f"{before}\nint main() {{\n{textwrap.dedent(statements)}\n}}\n")
    found = resolve_launch(site, sizes)
    return found if isinstance(found, str) else (found.grid, found.block, found.shared_bytes)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("k<<<4, 256>>>();", ((4, 1, 1), (256, 1, 1), 0)),
        ("dim3 b(16, 8); dim3 g(3, 2, 1); k<<<g, b, 1024>>>();", ((3, 2, 1), (16, 8, 1), 1024)),
        ("dim3 b{16, 8}, g = {3}; k<<<g, b>>>();", ((3, 1, 1), (16, 8, 1), 0)),
        ("k<<<dim3(2, 3), dim3(4, 5, 6), 2 * sizeof(float) * 8, 0>>>();", ((2, 3, 1), (4, 5, 6), 64)),
        ("int n = 1000; k<<<(n + 255) / 256, 256>>>();", ((4, 1, 1), (256, 1, 1), 0)),
        ("int n = 1000; k<<<(n - 1) / 256 + 1, 256, n * sizeof(double)>>>();", ((4, 1, 1), (256, 1, 1), 8000)),
        ("float n = 1000; k<<<ceil(n / 256), 256>>>();", ((4, 1, 1), (256, 1, 1), 0)),
        ("int n = 1000; dim3 g(ceil((float)n / 32), ceil(n / 32.0)); k<<<g, 32>>>();", ((32, 32, 1), (32, 1, 1), 0)),
        ("const int t = 16; dim3 b(t, t); dim3 g; g.x = 5; g.y += 2; k<<<g, b>>>();", ((5, 3, 1), (16, 16, 1), 0)),
        ("int a = 7, b = a << 2; b -= 4; k<<<b > 20 ? b : 1, std::min(a, 32)>>>();", ((24, 1, 1), (7, 1, 1), 0)),
        ("int t = argc > 1 ? atoi(argv[1]) : 128; k<<<2, t>>>();", ((2, 1, 1), (128, 1, 1), 0)),
        ("int t = argc < 2 ? 96 : atoi(argv[1]); k<<<2, t>>>();", ((2, 1, 1), (96, 1, 1), 0)),
        ("for (int t : {32, 96, 64}) k<<<2, t>>>();", ((2, 1, 1), (96, 1, 1), 0)),
        ("for (dim3 g : {dim3(2), dim3(3)}) { dim3 t(8); k<<<2, t>>>(); }", ((2, 1, 1), (8, 1, 1), 0)),
        ("for (int t : {}) k<<<2, 4>>>();", ((2, 1, 1), (4, 1, 1), 0)),
        ("const int sides[] = {4, 8}; for (int t : sides) { k<<<2, dim3(t, t)>>>(); }", ((2, 1, 1), (8, 8, 1), 0)),
        ("int n = 40, t; if (n > 32) t = 32; else { t = n; } k<<<1, t>>>();", ((1, 1, 1), (32, 1, 1), 0)),
        ("int n = 4; for (int i = 0; i < 3; ++i) { int m = 8; k<<<m, n>>>(); }", ((8, 1, 1), (4, 1, 1), 0)),
        (
            "auto up = [](int a, int b) { return (a + b - 1) / b; }; k<<<up(100, 32), 32>>>();",
            ((4, 1, 1), (32, 1, 1), 0),
        ),
        ("unsigned long long n = 1ull << 20; k<<<n / 1'024, 0x20u>>>();", ((1024, 1, 1), (32, 1, 1), 0)),
        ("bool b = not 0 and 1 or 0; int n = compl -5; k<<<b ? n : 1, 32>>>();", ((4, 1, 1), (32, 1, 1), 0)),
        ("int x = static_cast<int>(2.9); k<<<x, int(3.5)>>>();", ((2, 1, 1), (3, 1, 1), 0)),
    ],
)
def test_a_launch_is_evaluated(statements, expected):
    """As C computes it: `/` of whole numbers truncates."""
    assert resolved(statements) == expected


def test_a_side_may_be_an_argument_as_well():
    """It divides the grid, so that it is no size; the call in a loop says the largest."""
    text = """
    __global__ void k(int n, int side) {}
    void run(int n, int side) { dim3 b(side, side), g((n - 1) / side + 1); k<<<g, b>>>(n, side); }
    int main() { const int sides[] = {4, 8, 12}; for (int side : sides) run(100, side); }
    """
    rule = own_launch(launch_of(text), text, ["n", "side"], [])
    assert (rule.roots, dict(rule.unknown), rule.is_guess) == (("n",), {"side": 12}, False)


def test_names_of_the_file_are_known():
    """Constants, macros with and without arguments, enumerators, functions that are one return."""
    before = """
    #define TILE 16
    #define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
    const int N = 100, M = N + 50;
    enum { ROWS = 4, COLS };
    constexpr int blocks(int n) { return CEIL_DIV(n, TILE); }
    """
    statements = "dim3 grid(CEIL_DIV(N, TILE), blocks(M)); dim3 block(TILE, COLS); k<<<grid, block>>>();"

    assert resolved(statements, before) == ((7, 10, 1), (16, 5, 1), 0)


def test_sizes_come_before_what_the_file_says():
    """So that each tested shape gets its grid."""
    before = "const int N = 100;"
    statements = "dim3 grid((N + 15) / 16, (m + 15) / 16); k<<<grid, 16>>>();"

    assert resolved(statements, before, m=32, N=17) == ((2, 2, 1), (16, 1, 1), 0)


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ("k<<<n, 32>>>();", "n is not known"),
        ("int n = atoi(argv[1]); k<<<n, 32>>>();", r"n of line 3 is not known: 'argv\[1\]' is not evaluated"),
        (
            "int n = read(1); dim3 g(n); k<<<g, 32>>>();",
            r"n of line 3 .*'read\(1\)' is known only when the program runs",
        ),
        ("int n; k<<<n, 32>>>();", "n, declared in line 3, has no value"),
        (
            "int n = 4; for (int i = 0; i < 3; ++i) { n *= 2; k<<<n, 32>>>(); }",
            "n is not known: it changes in the loop",
        ),
        ("int n = 4; if (x) n = 5; k<<<n, 32>>>();", "n is not known: what is assigned in line 3 depends on"),
        ("int n = 4; n++; k<<<n, 32>>>();", "n is not known: line 3 changes it"),
        ("int n = 4; read(&n); k<<<n, 32>>>();", "n is not known: its address is taken in line 3"),
        ("int n = 4 / 0; k<<<n, 32>>>();", "divides by 0"),
        ("k<<<1 << 70, 32>>>();", "is not evaluated here"),
        ("int n = 'ab' + L'a' + u8'a'; k<<<n, 32>>>();", "'ab' is not evaluated here"),
        ("int n = L'a'; k<<<n, 32>>>();", "is not evaluated here"),
        ("int n = ~1.5; k<<<n, 32>>>();", "is not evaluated here"),
        ("int n = pow(-8, 0.5); k<<<n, 32>>>();", "has no value"),
        ("int n = pow(0, -1); k<<<n, 32>>>();", "has no value"),
        ("int n = static_cast<int>(); k<<<n, 32>>>();", "is known only when the program runs"),
    ],
)
def test_what_is_not_known_is_said(statements, said):
    """In one sentence, with the name and its line."""
    sentence = resolved(statements)

    assert isinstance(sentence, str)
    assert sentence.startswith("The launch of k in line 3 can't be computed: ")
    assert re.search(said, sentence), sentence


def test_a_launch_in_a_function_depends_on_its_parameters():
    """Seed 000's tiled kernel: the sizes are the function's."""
    site = device_part((SEEDS / "000_tiled.cu").read_text()).launches[0]

    assert "k is a parameter of the function in line 37" in str(resolve_launch(site, {}))
    found = resolve_launch(site, {"m": 50, "k": 70})
    assert not isinstance(found, str)
    assert (found.grid, found.block) == ((5, 4, 1), (16, 16, 1))


def test_constants_may_be_in_an_included_file(tmp_path):
    """Of the file's own folder; macros too."""
    (tmp_path / "sizes.h").write_text("#pragma once\n#define TILE 16\nconst int N = 100;\nenum { ROWS = 3 };\n")
    (tmp_path / "k.cu").write_text(
        '#include "sizes.h"\n__global__ void k(float* a) { a[0] = N; }\n'
        "int main() { dim3 b(TILE, ROWS); k<<<(N + TILE - 1) / TILE, b>>>(0); }\n"
    )

    part = prepare(read_cuda_file(tmp_path / "k.cu"))

    found = resolve_launch(part.launches[0], {})
    assert not isinstance(found, str)
    assert (found.grid, found.block) == ((7, 1, 1), (16, 3, 1))
    assert [kernel.name for kernel in part.signatures] == ["k"]


def test_the_barrier_notes_launches():
    """Seed 004: `threadsPerBlock(tileWidth, tileWidth)` reads like a function; members are assigned in a branch."""
    tiled = device_part((SEEDS / "004_tiledmatmultiply.cu").read_text()).launches[0]
    simple = device_part((SEEDS / "004_matmultiply.cu").read_text()).launches[0]

    assert resolve_launch(tiled, {}).grid == (16, 16, 1)  # type: ignore[union-attr]
    assert resolve_launch(tiled, {}).block == (4, 4, 1)  # type: ignore[union-attr]
    assert resolve_number(tiled, tiled.arguments[3], {}) == 16
    assert resolve_launch(simple, {}).block == (32, 32, 1)  # type: ignore[union-attr]
    assert resolve_launch(simple, {"M": 8, "L": 4}).block == (4, 8, 1)  # type: ignore[union-attr]


def test_a_launch_is_described():
    """Its kernel, its arguments and its template's arguments as written."""
    site = launch_of(
        """
        int main() {
            float *d_A = 0; double* const* b; int c[4];
            ns::tiled<16, float>   <<<dim3(1, 2), /* threads */ 32,
                0, stream>>>(d_A, "a, b", f(1, 2), c[0]);
        }
        """
    )

    assert (site.kernel, site.template_arguments, site.line) == ("tiled", ["16", "float"], 4)
    assert (site.grid_text, site.block_text, site.shared_text) == ("dim3(1, 2)", "32", "0")
    assert site.arguments == ["d_A", '"a, b"', "f(1, 2)", "c[0]"]
    assert [host_type(site, name) for name in ("d_A", "b", "c", "nothing")] == ["float *", "double **", "int *", None]


def test_deeply_nested_host_code_is_survived():
    """A chain of a thousand else-ifs in front of the launch."""
    chain = "if (a == 0) b = 1;" + " else if (a == 1) b = 1;" * 3000

    assert isinstance(resolved(f"int a = 5, b = 2; {chain} k<<<b, 32>>>();"), (str, tuple))
    assert "nested" in str(resolved(f"k<<<{'- ' * 5000}1, 32>>>();"))


@pytest.mark.parametrize("name", ["000_baseline.cu", "004_dotproduct.cu", "004_tileddotproduct.cu"])
def test_whole_programs_of_the_seeds_launch_by_themselves(name):
    """Nothing needs to be said for a file with main."""
    (site,) = device_part(read_cuda_file(SEEDS / name).text).launches

    assert not isinstance(resolve_launch(site, {}), str)


def test_only_what_a_launch_depends_on_is_followed():
    """Of thousands of macros and constants those that reach the launch, also through a function and a branch."""
    text = "".join(f"#define X{i} {i}\nconst int c{i} = {i};\n" for i in range(3000)) + (
        "#define SIDE (X7 + 9)\nconst int twice = 2 * c8;\n"
        "int up(int n) { return (n + SIDE - 1) / SIDE; }\n"
        "__global__ void k(int n) {}\n"
        "int main() { int n = 64, blocks = 1; if (twice > c9) blocks = up(n); k<<<blocks, SIDE>>>(n); }\n"
    )
    site = launch_of(text)
    found = names_behind(site.syntax, site.sizes_text)

    assert {name for name in found if re.fullmatch(r"[Xc]\d+", name)} == {"X7", "c8", "c9"}
    assert resolve_number(site, "blocks", {}) == 4
    assert resolve_number(site, "blocks", {"c9": 99}) == 1
    launch = own_launch(site, text, ["n"], [f"X{i}" for i in range(3000)])
    assert "n" in launch.roots
    assert not {"X6", "c6"} & {name for name, _ in launch.unknown}


@pytest.mark.parametrize("first", ["n = rows(7)", "n = least(rows(7), 5)", "n = atoi(argv[1])", "n = 64"])
def test_sizes_declared_behind_a_call_are_sizes(first):
    """As in `int n = atoi(argv[1]), m = 32;`, of which m is no constant of the launch."""
    text = (
        "__global__ void k(int n, int m) {}\n"
        f"int main(int argc, char** argv) {{ int {first}, m = 32;\n k<<<dim3(n / 8, m / 8), 64>>>(n, m); }}\n"
    )

    assert own_launch(launch_of(text), text, ["n", "m"], []).roots == ("n", "m")


@pytest.mark.parametrize(
    ("launch", "roots"),
    [
        ("k<<<(n + tile - 1) / tile, tile>>>(n, tile)", ("n",)),  # a larger tile makes the grid smaller
        ("k<<<n / 64, tile>>>(n, tile)", ("n", "tile")),  # as many threads as a row has elements
        ("k<<<n * tile / 64, 64>>>(n, tile)", ("n", "tile")),
    ],
)
def test_a_side_of_a_tile_that_is_passed_is_no_size(launch, roots):
    """Where the grid is divided by it; a size may be the block's, too."""
    text = f"__global__ void k(int n, int tile) {{}}\nvoid run() {{ int n = 1000, tile = 16; {launch}; }}\n"

    assert own_launch(launch_of(text), text, ["n", "tile"], []).roots == roots


def test_a_capped_number_of_blocks_follows_from_the_sizes():
    """It is no size, though large sizes leave it as it is; what alone determines the grid may count products."""
    text = (
        "__global__ void k(int m, int n, int p, int count) {}\n"
        "void run(int m, int n, int p, int count) { int blocks = count < 100 ? count : 100;\n"
        " k<<<blocks, 64>>>(m, n, p, count); }\n"
    )
    launch = own_launch(launch_of(text), text, ["m", "n", "p", "count"], [])

    assert set(launch.roots) == {"m", "n", "p", "count"}
    assert launch.counts == ("count",)
    assert dict(launch.passed_as)["p"] == "p"


@pytest.mark.parametrize("depth", [300, 3000])
def test_deep_branches_around_a_launch_are_followed(depth):
    """`else if` after `else if`, each inside of the one before; what is nested too deep is said."""
    branches = "".join(f"if (n == {i}) n = {i + 1}; else " for i in range(1000, 1000 + depth))
    site = launch_of(
        f"__global__ void k(int n) {{}}\nint main() {{ int n = 64; {branches} n = 128; k<<<n, 32>>>(n); }}\n"
    )
    found = resolve_number(site, "n", {})

    assert found == 128 or (depth > 300 and str(found).endswith("."))


def test_a_launch_behind_thousands_of_names_is_left_aside():
    """To follow what each of them changes would take for ever."""
    chain = "".join(f"int v{i} = v{i - 1} + 1;\n" for i in range(1, 1000))
    site = launch_of(f"__global__ void k() {{}}\nint main() {{ int v0 = 1; {chain} k<<<v999, 32>>>(); }}\n")

    with pytest.raises(LaunchError, match=r"^The launch of line \d+ depends on more names than are followed"):
        own_launch(site, site.syntax.text, [], [])


@pytest.mark.parametrize(
    ("rest", "value"),
    [
        ("int main() { run(0, 8); }", 8),
        ("const int side = 4; int main() { int twice = 2 * side; run(0, twice); }", 8),
        ("void outer(int t) { run(0, t); } int main() { outer(32); }", 32),
        ("int main() { run(0); }", 64),
        ("int main(int c, char **v) { run(0, atoi(v[1])); run(1, 16); }", 16),
        ("void outer(int t) { run(0, t); }", None),
        ("void run2(int n) { run(0, n); run2(n); }", None),
        ("", None),
    ],
)
def test_what_a_call_passes(rest, value):
    """The first call whose number is known says what a parameter is, or what the function takes without it."""
    site = launch_of(f"__global__ void k(); void run(int n, int t = 64) {{ k<<<n, t>>>(); }} {rest}")

    assert passed_number(site, "t") == value
    assert passed_number(site, "other") is None


@pytest.mark.parametrize(
    ("named", "bytes_of"),
    [
        ("typedef double real;", 8),
        ("typedef unsigned short int16; typedef const int16 real;", 2),
        ("using real = float;", 4),
        ("using real = const float *;", 8),
        ("typedef float *real;", 8),
        ("typedef struct { int a, b; } real;", None),
    ],
)
def test_the_size_of_a_type_with_a_name(named, bytes_of):
    """A name of the file for another type is looked through; a struct's bytes are not known."""
    site = launch_of(f"{named} __global__ void k(); void run() {{ k<<<4, 32, 32 * sizeof(real)>>>(); }}")
    found = resolve_number(site, "32 * sizeof(real)", {})

    assert found == 32 * bytes_of if bytes_of else isinstance(found, str)


def test_the_size_of_what_a_template_takes():
    """As what its type was taken for."""
    text = "__global__ void k(); template <typename T> void run() { int n = 8 * sizeof(T); k<<<4, 32, n>>>(); }"
    site = launch_of(text)

    assert isinstance(resolve_number(site, "n", {}), str)
    assert resolve_number(replace(site, types=(("T", "double"),)), "n", {}) == 64


IN_CLASS = "class Sums { static const int side = 16, most = 2 * side; public: void run(int n) { k<<<n, most>>>(); } };"
BEHIND = "struct Sums { static constexpr int most = 32; void run(int); }; void Sums::run(int n) { k<<<n, most>>>(); }"


@pytest.mark.parametrize("text", [IN_CLASS, BEHIND])
def test_the_constants_of_a_class(text):
    """Where its own functions launch, whether they stand in it or behind it."""
    site = launch_of(f"__global__ void k(); struct Other {{ static const int most = 8; }}; {text}")

    assert resolve_launch(site, {"n": 3}) == ResolvedLaunch((3, 1, 1), (32, 1, 1), 0)


def test_what_is_no_constant_of_a_class():
    """What an object may set is known only when the program runs."""
    assert isinstance(resolve_launch(launch_of(IN_CLASS.replace("static const ", "")), {"n": 3}), str)


@pytest.mark.parametrize(
    ("cap", "is_end"),
    [
        ("if (b > 100) b = 100;", True),
        ("b = b < 100 ? b : 100;", True),
        ("b = std::min(b, 100);", True),
        ("b += 100;", False),
        ("", False),
    ],
)
def test_numbers_that_the_host_ends(cap, is_end):
    """They grow with a size, up to there."""
    site = launch_of(f"const int t = 64; void run(int n) {{ int b = (n + t - 1) / t; {cap} k<<<1, t>>>(b, n); }}")

    assert is_capped(site, "b") == is_end
    assert not is_capped(site, "n")

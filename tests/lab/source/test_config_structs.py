"""Templates that take a struct of constants: its numbers stand in the text."""

import pytest

from tilewright.lab.source.config_structs import configs_passed, with_numbers_of_configs

KERNEL = """
template <class Cfg> __global__ void product(const float *a, float *c, int n) {
    __shared__ float tile[Cfg::TILE][Cfg::TILE + 1];
    c[threadIdx.x] = tile[0][0] + n / Cfg::THREADS;
}
template <typename Cfg> void run(const float *a, float *c, int n) {
    product<Cfg><<<(n + Cfg::TILE - 1) / Cfg::TILE, Cfg::THREADS>>>(a, c, n);
}
"""
OF_NUMBERS = """
template <int SIDE, int PER = 2> struct Config {
    static constexpr int TILE = SIDE, ROWS = SIDE / PER;
    static constexpr int THREADS = TILE * ROWS;
};
"""
PLAIN = "struct Config { static constexpr int TILE = 16; enum { LINE = 4, THREADS = TILE * LINE * 2 }; };\n"
COUNTED = "struct Config { enum { TILE = 16, LINE = 127, THREADS }; };\n"


@pytest.mark.parametrize(
    "text",
    [
        OF_NUMBERS + KERNEL + "int main() { using Small = Config<16>; run<Small>(0, 0, 5); }",
        OF_NUMBERS + "typedef Config<16, 2> Small;" + KERNEL + "int main() { run<Small>(0, 0, 5); }",
        OF_NUMBERS + KERNEL + "int main() { run<Config<16, 2>>(0, 0, 5); run<Config<32>>(0, 0, 5); }",
        OF_NUMBERS + KERNEL + "template __global__ void product<Config<16>>(const float *, float *, int);",
        PLAIN + KERNEL + "int main() { run<Config>(0, 0, 5); }",
        COUNTED + KERNEL + "int main() { run<Config>(0, 0, 5); }",
    ],
)
def test_numbers_in_the_kernel_and_in_the_launch(text):
    """By whatever name the struct is passed; the lines stay."""
    now = with_numbers_of_configs(text)
    assert "float tile[16][16 + 1];" in now
    assert "<<<(n + 16 - 1) / 16, 128>>>" in now
    assert now.count("\n") == text.count("\n")


def test_its_types():
    """A type in the struct stands in the text as well."""
    text = "struct Config { using Element = double; static constexpr int TILE = 8; };\n"
    text += "template <class C> __global__ void f(typename C::Element *x) { typename C::Element y[C::TILE]; }\n"
    assert "void f(double *x) { double y[8]; }" in with_numbers_of_configs(
        text + "void g() { f<Config><<<1, 1>>>(0); }"
    )


@pytest.mark.parametrize("passed", ["", "int main() { run<Config<16>>(0, 0, 5); }"])
def test_others_are_left_alone(passed):
    """A struct that nobody passes, and one without the number that is used."""
    text = OF_NUMBERS.replace("THREADS", "LANES") + KERNEL + passed
    assert with_numbers_of_configs(text) == text


def test_those_that_are_passed():
    """An alias is not told apart from the struct."""
    text = OF_NUMBERS + "using One = Config<16>; using Two = Config<32>;" + KERNEL
    text += "int main() { run<One>(0, 0, 5); run<Two>(0, 0, 5); }"
    assert configs_passed(text) == ["Config<16>", "Config<32>"]

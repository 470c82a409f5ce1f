"""printf and assert of a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch, line_of
from tilewright.emulate import AssertionFailed, BudgetExceeded, MemoryFault


def printed(statement: str, *, block: int = 1, grid: int = 1, before: str = "") -> list[str]:
    """Return the lines that a kernel with this statement prints."""
    source = f'extern "C" __global__ void kernel(int zero) {{ int t = threadIdx.x + zero; {before} {statement} }}'
    return launch(source, 0, grid=grid, block=block).output


FORMATS = [
    ("%d %i", "-5 + t, 7 - t", "-5 7"),
    ("%u %x %X %o", "3000000000u + t, 48879u + t, 48879u + t, 8u + t", "3000000000 beef BEEF 10"),
    ("%lld %llu %ld", "-5000000000ll + t, 18446744073709551615ull - t, 7l + t", "-5000000000 18446744073709551615 7"),
    ("%llx", "0x123456789abcdefull + t", "123456789abcdef"),
    ("%f %5.2f|%-8.3f|", "1.5 + t, 3.14159f + t, 2.0 + t", "1.500000  3.14|2.000   |"),
    ("%g %g %g", "0.1 + t, 1e20 + t, 100000.0f + t", "0.1 1e+20 100000"),
    ("%e %E", "12345.678 + t, 0.5 + t", "1.234568e+04 5.000000E-01"),
    ("%c%c", "'a' + t, 66 + t", "aB"),
    ("%5d|%-5d|%05d|%+d|% d", "42 + t, 42 + t, 42 + t, 42 + t, 42 + t", "   42|42   |00042|+42| 42"),
    ("%#x %#o %08x", "255 + t, 8 + t, 48879 + t", "0xff 010 0000beef"),
    ("100%% %d", "t", "100% 0"),
    ("%s and %10s|%-6s|", '"text", "right", "left"', "text and      right|left  |"),
    ("%f %f %f", "1.0f / t, -1.0f / t, sqrtf(t - 1.0f)", "inf -inf nan"),
    ("%hd %hu", "(short)(t - 7), (unsigned short)(t + 9)", "-7 9"),
    ("%.3s|%.0f|%.1e", '"abcdef", 2.5 + t, 2.5 + t', "abc|2|2.5e+00"),
    ("%*d|%.*f", "6, 42 + t, 2, 1.005 + t", "    42|1.00"),
]


@pytest.mark.parametrize(("form", "values", "want"), FORMATS, ids=[form for form, _, _ in FORMATS])
def test_formats(form, values, want):
    """A format prints what C prints."""
    lines = printed(f'printf("{form}\\n", {values});')

    assert len(lines) == 1
    assert lines[0].endswith(want.replace("-nan", "nan"))


def test_pointer_format():
    """%p prints an address in hexadecimal."""
    (line,) = printed('printf("at %p\\n", (void*)(0x1230ull + t));')

    assert line.endswith("at 0x1230")


def test_text_without_values():
    """A printf of text alone, and an empty string."""
    lines = printed('printf("hello\\n"); printf("%s.\\n", "");')

    assert [line.split()[-1] for line in lines] == ["hello", "."]


def test_every_thread_prints_with_its_place():
    """Each printing thread gives one line, in lane order within a warp, and says its block and thread."""
    source = """extern "C" __global__ void kernel() {
        if (threadIdx.x % 2 && blockIdx.x == 1) printf("value %d\\n", threadIdx.x * 10 + threadIdx.y);
    }"""
    result = launch(source, grid=2, block=(8, 2))

    places = [(x, y, 0) for y in range(2) for x in range(1, 8, 2)]
    assert result.output == [f"value {x * 10 + y}" for x, y, _ in places]
    assert [(printed.block, printed.thread) for printed in result.prints] == [((1, 0, 0), place) for place in places]
    assert str(result.prints[0]) == "block (1, 0, 0), thread (1, 0, 0): value 10"


def test_output_order_does_not_depend_on_workers():
    """Lines come in one order on any number of workers."""
    source = 'extern "C" __global__ void kernel() { printf("%d %d\\n", blockIdx.x, threadIdx.x); }'
    alone = launch(source, grid=9, block=40, workers=1).output

    assert len(alone) == 360
    assert launch(source, grid=9, block=40, workers=2).output == alone


def test_string_in_a_module_variable():
    """%s prints a string that lies in global memory and was changed by the kernel."""
    source = """__device__ char text[8] = "hallo";
    extern "C" __global__ void kernel() { text[1] = 'e'; printf("<%s>\\n", text); }"""
    (line,) = launch(source, block=1).output

    assert line.endswith("<hello>")


def test_assert_that_holds():
    """An assertion that holds does nothing."""
    launch('extern "C" __global__ void kernel(int* y) { assert(y[0] == 3); }', np.array([3], np.int32))


def test_assert_that_fails():
    """A failed assertion stops the launch and names expression, file, line, block and thread."""
    source = """extern "C" __global__ void kernel(const int* x) {
        int v = x[threadIdx.x];
        assert(v < 20); // here
    }"""
    x = np.arange(32, dtype=np.int32)
    x[21:] = 0
    x[9] = 33
    with pytest.raises(AssertionFailed) as caught:
        launch(source, x, grid=2)
    fault = caught.value

    assert "v < 20" in str(fault)
    assert (fault.thread, fault.kernel, fault.line) == ((9, 0, 0), "kernel", line_of(source, "// here"))
    assert fault.block == (0, 0, 0)
    assert "(9, 0, 0)" in str(fault)


def test_strings_are_read_when_they_are_printed():
    """%s finds strings in a thread's local, a block's shared and in global memory, as they are at that moment."""
    source = """__device__ char everyone[4];
    extern "C" __global__ void kernel(int* n) {
        __shared__ char block[4];
        char own[4];
        for (int i = 0; i < 2; ++i) {
            own[0] = 'a' + threadIdx.x; own[1] = '0' + i; own[2] = n[0];
            if (threadIdx.x == 0) {
                block[0] = 'A' + blockIdx.x; block[1] = '0' + i; block[2] = 0;
                everyone[0] = 'x' + i;
            }
            __syncthreads();
            printf("%s %s %s\\n", own, block, everyone);
            __syncthreads();
        }
    }"""
    printed = launch(source, np.zeros(1, np.int32), grid=2, block=2).output
    alone = [printed[start : start + 4] for start in (0, 4)]

    for block, lines in zip("AB", alone, strict=True):
        assert lines == [f"{own}{i} {block}{i} {'xy'[i]}" for i in (0, 1) for own in "ab"]


def test_widths_that_are_garbage():
    """A negative precision counts as none, and a huge one does not fill the host's memory."""
    source = """extern "C" __global__ void kernel(int n, int p) {
        printf("[%*d]", n, 5); printf("[%.*f]\\n", p, 1.5); }"""

    assert launch(source, 3, -1, block=1).output == ["[  5][1.500000]"]
    (line,) = launch(source, 2**31 - 1, 2**31 - 1, block=1).output
    assert len(line) < 10_000
    assert line.rstrip("0").endswith("5][1.5") or "1.5" in line


def test_short_integers_and_form_feeds():
    """%hhd and %hu print the low bits, and only a newline ends a line."""
    source = 'extern "C" __global__ void kernel(int n) { printf("%hhd %hhu %hd\\f|\\r%hu\\n", n, n, n, n); }'

    assert launch(source, 70200, block=1).output == ["56 56 4664\f|\r4664"]


def test_what_was_printed_before_a_fault():
    """The exception holds the lines that were printed up to the fault, the same on any number of workers."""
    source = """extern "C" __global__ void kernel(int* y) {
        printf("block %d\\n", blockIdx.x);
        if (blockIdx.x == 40) y[1 << 20] = 1; }"""
    seen = []
    for count in (1, 2):
        with pytest.raises(MemoryFault) as caught:
            launch(source, np.zeros(1, np.int32), grid=400, block=1, workers=count)
        seen.append(caught.value.output)

    assert seen[0] == seen[1]
    assert seen[0][:41] == [f"block {number}" for number in range(41)]


def test_endless_printing(monkeypatch):
    """A launch that prints without end stops before the host's memory is full."""
    monkeypatch.setattr("tilewright.emulate.machine.workers.MAX_PRINTS", 1000)
    source = 'extern "C" __global__ void kernel(int n) { for (int i = 0; i != n; ++i) printf("again\\n"); }'
    with pytest.raises(BudgetExceeded, match="printf more than 1000 times"):
        launch(source, -1, workers=2)

"""Random programs against a reference that shares nothing with the emulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulate.integer_reference import signed, table, truncated
from tests.emulate.running import entry_of, launch, ptx_of

REGISTERS = 8
THREADS = 64
COMPARISONS = {"lt": lambda a, b: a < b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b}
LENGTHS = st.integers(5, 60)


def inputs(bits: int, seed: int) -> np.ndarray:
    """Return register contents for every thread: small numbers, edges and random patterns."""
    generator = np.random.default_rng(seed)
    dtype = np.uint32 if bits == 32 else np.uint64
    values = generator.integers(0, 1 << bits, (THREADS, REGISTERS), dtype=dtype)
    edges = np.array([0, 1, 2, 31, 32, 33, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1], dtype=dtype)
    return np.where(generator.random(values.shape) < 0.4, generator.choice(edges, values.shape), values)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), bits=st.sampled_from([32, 64]), seed=st.integers(0, 1 << 30), length=LENGTHS)
def test_straight_line_integer_programs(data, bits, seed, length):
    """Any sequence of integer instructions, some of them guarded, gives every thread Python's result."""
    operations = table(bits)
    x = inputs(bits, seed)
    state = [[int(value) for value in row] for row in x]
    mask, text = (1 << bits) - 1, []
    pick = st.integers(0, REGISTERS - 1)
    for _ in range(length):
        name = data.draw(st.sampled_from([*operations, "div", "rem", "setp", "immediate"]))
        d, a, b, c = (data.draw(pick) for _ in range(4))
        if name == "setp":
            comparison = data.draw(st.sampled_from(list(COMPARISONS)))
            text.append(f"setp.{comparison}.s{bits} %p, %r{a}, %r{b}; @%p mov.b{bits} %r{d}, %r{c};")
            for row in state:
                if COMPARISONS[comparison](signed(row[a], bits), signed(row[b], bits)):
                    row[d] = row[c]
        elif name in ("div", "rem"):
            text.append(f"or.b{bits} %t, %r{b}, 1; {name}.s{bits} %r{d}, %r{a}, %t;")
            for row in state:
                pair = truncated(signed(row[a], bits), signed(row[b] | 1, bits))
                row[d] = pair[name == "rem"] & mask
        elif name == "immediate":
            value = data.draw(st.integers(-(1 << 31), (1 << 31) - 1))
            text.append(f"add.s{bits} %r{d}, %r{a}, {value};")
            for row in state:
                row[d] = (row[a] + value) & mask
        else:
            count, function = operations[name]
            text.append(f"{name} %r{d}, {', '.join(f'%r{r}' for r in (a, b, c)[:count])};")
            for row in state:
                row[d] = function(*(row[r] for r in (a, b, c)[:count])) & mask
    size = bits // 8
    loads = "\n".join(f"ld.global.b{bits} %r{i}, [%x+{size * i}];" for i in range(REGISTERS))
    stores = "\n".join(f"st.global.b{bits} [%x+{size * i}], %r{i};" for i in range(REGISTERS))
    body = f"""
        .reg .b{bits} %r<{REGISTERS}>, %t; .reg .pred %p; .reg .b64 %x; .reg .b32 %thread;
        ld.param.u64 %x, [p0]; cvta.to.global.u64 %x, %x; mov.u32 %thread, %tid.x;
        mad.wide.u32 %x, %thread, {size * REGISTERS}, %x;
        {loads}\n{chr(10).join(text)}\n{stores}\nret;"""
    launch(entry_of("kernel", ["u64"], body), x, block=THREADS)

    np.testing.assert_array_equal(x, np.array(state, dtype=x.dtype))


class Writer:
    """Draws a structured function of four variables, in C and, line by line, in Python."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], callees: int) -> None:
        self.draw, self.callees = draw, callees
        self.loops = 0
        self.c: list[str] = []
        self.python: list[str] = []

    def line(self, depth: int, c: str, python: str) -> None:
        """Add one line in both languages."""
        self.c.append("    " * depth + c)
        self.python.append("    " * depth + python)

    def variable(self) -> str:
        """Draw a variable."""
        return str(self.draw(st.sampled_from("abcd")))

    def condition(self) -> str:
        """Draw a condition that reads the same in C and in Python."""
        bit, comparison = self.draw(st.sampled_from([1, 2, 3, 4, 8])), self.draw(st.sampled_from(["==", "!="]))
        return f"({self.variable()} & {bit}) {comparison} 0"

    def assignment(self, depth: int) -> None:
        """Draw an assignment; values stay within 10 bits."""
        sign, left, right = self.draw(st.sampled_from(["+", "*", "^", "|", "&"])), self.variable(), self.variable()
        value = f"({left} {sign} {right})"
        if self.callees and self.draw(st.integers(0, 3)) == 0:
            value = f"f{self.draw(st.integers(0, self.callees - 1))}({left}, {right}, {self.variable()}, 7)"
        text = f"{self.variable()} = ({value} + {self.draw(st.integers(0, 99))}) & 1023"
        self.line(depth, f"{text};", text)

    def block(self, depth: int, budget: int, *, in_loop: bool) -> None:
        """Draw one to three statements."""
        kinds = ["assign", "assign", "return", *(["if", "loop"] if budget else []), *(["leave"] if in_loop else [])]
        for _ in range(self.draw(st.integers(1, 3))):
            kind = self.draw(st.sampled_from(kinds))
            if kind == "assign":
                self.assignment(depth)
            elif kind == "if":
                self.condition_block(depth, budget, in_loop=in_loop)
            elif kind == "loop":
                self.loop(depth, budget)
            elif kind == "return":
                condition = self.condition()
                self.line(depth, f"if ({condition}) return a * 3 + b;", f"if {condition}: return a * 3 + b")
            else:
                condition, word = self.condition(), self.draw(st.sampled_from(["break", "continue"]))
                self.line(depth, f"if ({condition}) {word};", f"if {condition}: {word}")

    def condition_block(self, depth: int, budget: int, *, in_loop: bool) -> None:
        """Draw an if, perhaps with an else."""
        condition = self.condition()
        self.line(depth, f"if ({condition}) {{", f"if {condition}:")
        self.block(depth + 1, budget - 1, in_loop=in_loop)
        if self.draw(st.booleans()):
            self.line(depth, "} else {", "else:")
            self.block(depth + 1, budget - 1, in_loop=in_loop)
        self.line(depth, "}", "pass")

    def loop(self, depth: int, budget: int) -> None:
        """Draw a loop whose lanes go round up to five times."""
        self.loops += 1
        name, variable = f"i{self.loops}", self.variable()
        c = f"for (int {name} = {variable} % 6; {name} > 0; --{name}) {{"
        self.line(depth, c, f"for {name} in range({variable} % 6, 0, -1):")
        self.block(depth + 1, budget - 1, in_loop=True)
        self.assignment(depth + 1)
        self.line(depth, "}", "pass")


def random_functions(data: st.DataObject, count: int) -> tuple[str, str]:
    """Draw functions f0, f1, ... that may call those before them; return them in C and in Python."""
    c, python = [], []
    for number in range(count):
        writer = Writer(data.draw, number)
        writer.block(1, 3 if number == count - 1 else 2, in_loop=False)
        kind = data.draw(st.sampled_from(["__noinline__", "__forceinline__"]))
        c += [f"__device__ {kind} int f{number}(int a, int b, int c, int d) {{", *writer.c]
        c += ["    return a + 1024 * b + (c ^ d) * 7;", "}"]
        python += [f"def f{number}(a, b, c, d):", *writer.python, "    return a + 1024 * b + (c ^ d) * 7"]
    return "\n".join(c), "\n".join(python)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), count=st.integers(1, 3), options=st.sampled_from([(), ("-G",)]))
def test_random_control_flow(data, count, options):
    """Random nests of if, for, break, continue, return and calls give every lane what Python gives.

    Optimized or not (-G), in both schedules; and as the lanes meet again, one store per warp.
    """
    c, python = random_functions(data, count)
    main = f"f{count - 1}"
    source = f"""{c}
    extern "C" __global__ void kernel(const int* x, int* y) {{
        int t = threadIdx.x, v = {main}(x[t] & 1023, x[t] >> 10 & 1023, t, x[t] >> 20);
        y[t] = v;
    }}"""
    scope: dict[str, Callable[..., int]] = {}
    exec(python, scope)  # noqa: S102  (our own text)
    x = np.random.default_rng(len(source)).integers(0, 1 << 30, 64, dtype=np.int32)
    want = [scope[main](int(v) & 1023, int(v) >> 10 & 1023, t, int(v) >> 20) for t, v in enumerate(x)]
    for schedule in ("round_robin", "random"):
        y = np.zeros(64, dtype=np.int32)
        result = launch(ptx_of(source, *options), x, y, block=64, schedule=schedule)
        np.testing.assert_array_equal(y, np.array(want).astype(np.int32))
        assert result.counts.global_stores == 64
        # Without calls and returns of its own, the kernel's last statement is executed by each warp once.
        if options:
            assert result.counts.global_store_requests == 2

"""The arguments of a template that are guessed where no launch says them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.template_guesses import name_of, template_guesses

TILES = [("64", "8", "4"), ("64", "8", "8"), ("32", "8", "4"), ("32", "32", "2"), ("128", "8", "8"), ("32", "16", "2")]


def guesses(*parameters: str, text: str = "") -> list[tuple[str, ...]]:
    """The guesses for a kernel `f` with these parameters."""
    signature: Any = SimpleNamespace(name="f", template_parameters=parameters)
    return template_guesses(text, signature)


@pytest.mark.parametrize(
    ("parameter", "name"), [("int N", "N"), ("int N = 4", "N"), ("typename T = float", "T"), ("", ""), ("= 3", "")]
)
def test_names(parameter, name):
    """What stands before a default."""
    assert name_of(parameter) == name


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        (["int SIDE"], [("16",), ("32",), ("8",)]),
        (["int THREADS"], [("16",), ("32",), ("256",), ("128",), ("8",)]),
        (["int BLOCK_SIZE"], [("16",), ("32",), ("256",), ("128",), ("8",)]),
        (["bool IS_WIDE"], [("true",)]),
        (["typename T"], [("float",)]),
        (["class T = double"], [("double",)]),
        (["int N = 4"], [("4",)]),
        (["typename T", "int SIDE"], [("float", "16"), ("float", "32"), ("float", "8")]),
        (["int BM", "int BK"], [*dict.fromkeys((block, depth) for block, depth, _ in TILES)]),
        (["int BM", "int TM"], [*dict.fromkeys((block, thread) for block, _, thread in TILES)]),
        (["int BM", "int STEP", "int TN", "int BN"], [(block, depth, thread, block) for block, depth, thread in TILES]),
        (["int BM", "bool FLAT"], [*dict.fromkeys((block, "true") for block, _, _ in TILES)]),
        (["int ... N"], []),
        (["template <int> class F"], []),
    ],
)
def test_without_instances(parameters, found):
    """A side alone, or with the words in their names blocks, steps and threads; defaults stay."""
    assert guesses(*parameters) == found


def test_instances_come_first():
    """What the file instantiates, without the parameters' own names; of six at most."""
    text = "template __global__ void f<32>(int); g = f<8>; f<N><<<1, 1>>>(); f<1, 2>(); f<8>(); // f<5>"
    assert guesses("int N", text=text) == [("32",), ("8",), ("16",)]
    assert guesses("int ... N", text=text) == [("32",), ("8",)]
    many = "".join(f"f<{number}>();" for number in range(1, 8))
    assert guesses("int N", text=many) == [(str(number),) for number in range(1, 7)]

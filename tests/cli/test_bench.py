"""`tilewright bench` where there is no GPU: a sentence, and no traceback."""

from __future__ import annotations

import sys

import pytest

from tilewright import cli


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["64", "64"], "Missing argument"),
        (["0", "64", "64"], "0"),
        (["64", "64", "64", "--dtype", "float64"], "float64"),
    ],
)
def test_arguments_are_checked_first(capsys, arguments, sentence):
    """Sizes of 1 or more, and types of 16 bits."""
    assert cli.run(["bench", *arguments]) == cli.REFUSED
    assert sentence in capsys.readouterr().err


def test_without_torch_it_says_so(capsys, monkeypatch):
    """Torch is what it measures beside."""
    monkeypatch.setitem(sys.modules, "torch", None)

    assert cli.run(["bench", "64", "64", "64"]) == cli.REFUSED
    assert "torch, which is not installed: pip install torch." in capsys.readouterr().err

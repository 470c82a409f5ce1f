"""Names of files in PTX as they were given: NVRTC writes the working folder before them, and letters as octals."""

from __future__ import annotations

import os

import pytest

from tilewright.compile.nvrtc import _with_names_as_given

HERE = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  (text as NVRTC has it)


@pytest.mark.parametrize(
    ("written", "name", "called", "given"),
    [
        (f"{HERE}a.cu", "a.cu", "a.cu", "a.cu"),
        (f"{HERE}b/a.cu", "b/a.cu", "b/a.cu", "b/a.cu"),
        (f"{HERE}a.cu", f"{HERE}a.cu", "a.cu", f"{HERE}a.cu"),
        ("/elsewhere/a.cu", "a.cu", "a.cu", "/elsewhere/a.cu"),
        ("called.cu", "\u00e4.cu", "called.cu", "\u00e4.cu"),
        (f"{HERE}called.cu", "x y.cu", "called.cu", "x y.cu"),
        (r"\303\244.cu", "\u00e4.cu", "x.cu", "\u00e4.cu"),
        (f"{HERE}" + r"\303\244\303\266.cu", "a.cu", "x.cu", "\u00e4\u00f6.cu"),
    ],
)
def test_names(written, name, called, given):
    """Without the folder, in their letters; the stand-in for a name is that name again."""
    ptx = f'.file\t1 "{written}"\n.loc\t1 3 5\n'
    assert _with_names_as_given(ptx, name, called) == f'.file\t1 "{given}"\n.loc\t1 3 5\n'

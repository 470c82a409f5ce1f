"""Texts made up at random: whatever NVRTC opens, the look at the text beforehand must have seen."""

from __future__ import annotations

import random

import pytest

from tilewright.compile.nvrtc import CompileError, compile_with_headers
from tilewright.lab.source import CudaFile, SourceError
from tilewright.lab.source.includes import gather

NOISE = (
    *("/*", "*/", "//", "\\\n", "\n", '"', "'", 'R"(', ')"', " ", "\t", "\f", "x", "#define A "),
    *("#if 1\n", "#endif\n"),
    *(
        "%:",
        "\r",
        "\r\n",
        "/**/",
        "/*\n*/",
        "\\ \n",
        'u8R"x(',
        ')x"',
        "#else\n",
        "1'0",
        "L'a'",
        "\\",
        "/",
        "*",
        "\\\r\n",
    ),
)
BETWEEN = (
    "",
    "",
    " ",
    "/**/",
    "/* c */",
    "\\\n",
    "\t",
    "/*\n*/",
    "\\\n\\\n",
    "/*\\\n*/",
    "\f",
    "\\\r\n",
    "/\\\n* *\\\n/",
)
HIDDEN = "hidden_line_of_another_file x;\n"


def made_up(choose, path):
    """A text that may include a file: a directive in disguise, with things in front that may hide it."""
    noise = [choose.choice(NOISE) for _ in range(choose.randint(0, 5))]
    hash_sign = choose.choice(("#", "#", "%:", "%\\\n:"))
    word = choose.choice(("include", "inc\\\nlude", "include_next"))
    operand = choose.choice((f'"{path}"', f"<{path}>", "NAME", "CALL(NAME)", f'"{path[:5]}\\\n{path[5:]}"'))
    parts = [hash_sign, word, operand, "\n"]
    directive = "".join(choose.choice(BETWEEN) + part for part in parts)
    defines = choose.choice(("", f'#define NAME "{path}"\n#define CALL(x) x\n'))
    return defines + "".join(noise) + choose.choice(("\n", "", "*/", ')"\n', '"\n')) + directive


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_nvrtc_opens_was_refused(tmp_path, seed):
    """Comments, splices, raw strings, digraphs: in each combination that NVRTC follows to the file."""
    hidden = tmp_path / "hidden.h"
    hidden.write_text(HIDDEN)
    (tmp_path / "folder").mkdir()
    choose = random.Random(seed)
    opened, missed = 0, []
    for _ in range(120):
        text = made_up(choose, str(hidden))
        try:
            compile_with_headers(text, "k.cu", architecture="compute_90")
        except CompileError as error:
            if HIDDEN.strip() not in error.log:
                continue
        else:
            continue
        opened += 1
        try:
            gather(CudaFile(tmp_path / "folder" / "k.cu", text))
        except SourceError:
            continue
        missed.append(text)

    assert missed == []
    assert opened > 20

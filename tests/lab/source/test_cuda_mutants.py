"""A few mutants of CUDA texts; `make fuzz-cuda` checks 5,000."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lab.source.cuda_mutants import endings, mutant, texts
from tests.repeats import repeats
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.source import SourceError


@pytest.mark.slow
def test_each_mutant_ends_in_a_verdict_a_refusal_or_a_question(tmp_path):
    """No crash, no hang, no traceback, and no name of a Python class."""
    wrong = [f"{kind}: {said}" for _, kind, said in endings(range(repeats(20, 60)), 12, tmp_path) if said]

    assert wrong == []


def test_a_seed_makes_the_same_mutants():
    """So that one that is found is found again."""
    text = texts()[0].read_text(encoding="utf-8")

    assert [mutant(text, random.Random(5)) for _ in range(3)] == [mutant(text, random.Random(5))] * 3


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "damaged").glob("*.cu")), ids=lambda path: path.stem)
def test_mutants_that_once_ended_the_check(path):
    """Empty names of types and of parameters of templates, an operator as a name, 1e400 blocks, blocks of 0 threads."""
    with suppress(CheckError, SourceError):
        assert check_file(path, Options(cause_seconds=1))


def test_a_launch_of_unknown_size_with_all_arguments_given():
    """What else the grid counts cannot be found by trying, as there is no argument left to try."""
    path = Path(__file__).parent / "damaged" / "mutant_12_27.cu"
    options = Options(arguments="A,B,C,inner", operation="vector_add", cause_seconds=1)

    (result,) = check_file(path, options)
    assert result.refusal.startswith("What blocksPerGrid is at other sizes cannot be seen in the file: give --block")

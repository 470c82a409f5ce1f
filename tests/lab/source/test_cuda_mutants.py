"""A few mutants of CUDA texts; `make fuzz-cuda` checks 5,000."""

from __future__ import annotations

import random

import pytest

from tests.lab.source.cuda_mutants import endings, mutant, texts


@pytest.mark.slow
def test_each_mutant_ends_in_a_verdict_a_refusal_or_a_question(tmp_path):
    """No crash, no hang, no traceback, and no name of a Python class."""
    wrong = [f"{kind}: {said}" for _, kind, said in endings(range(60), 12, tmp_path) if said]

    assert wrong == []


def test_a_seed_makes_the_same_mutants():
    """So that one that is found is found again."""
    text = texts()[0].read_text(encoding="utf-8")

    assert [mutant(text, random.Random(5)) for _ in range(3)] == [mutant(text, random.Random(5))] * 3

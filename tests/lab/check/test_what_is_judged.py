"""Decisions of a judgement as tables: which launches are added, what counts as explained, what a cause is tried on."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.emulate import BarrierFault, BudgetExceeded
from tilewright.lab.check.find import evidence, guessing, search
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import QuestionError, Roles
from tilewright.lab.check.judge import cause_of_product, judging, rest_of_vectors, variants, verdicts
from tilewright.lab.check.judge.variants import PLAIN, Variant
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.sizes import Sizes, fewer_rows, least_inner, trial_sizes
from tilewright.lab.check.statuses import FAULT, RIGHT, WRONG

MATMUL = Roles("matmul", ("A", "B", "C", "rows", "inner", "cols"))
SEVERITY = "error"


def error(kind: str, **more: Any) -> Any:
    """A finding that is an error."""
    return SimpleNamespace(kind=kind, severity=SEVERITY, address="", place=("f.cu", 3), **more)


def kernel_of(body: str) -> Any:
    """A kernel that begins in line 11."""
    kernel = object.__new__(KernelFile)
    opened = SimpleNamespace(file=SimpleNamespace(name="f.cu"))
    vars(kernel).update(body=body, signature=SimpleNamespace(line=11), opened=opened)
    return kernel


def found_as(roles: Roles = MATMUL, **more: Any) -> Any:
    """What was found out of a kernel."""
    rule = more.pop("rule", FormulaLaunch("8", "1"))
    return SimpleNamespace(**{"roles": roles, "rule": rule, "fits": True, "always_stops": False, "tile": 16} | more)


@pytest.mark.parametrize(
    ("sizes", "is_refused"),
    [
        (Sizes(1 << 13, 1 << 13, 1), False),
        (Sizes((1 << 13) + 1, 1 << 13, 1), True),
        (Sizes(1, 1 << 13, (1 << 13) + 1), True),
        (Sizes(1 << 14, 1, 1 << 14), False),  # C is not counted
    ],
)
def test_sizes_that_are_too_large(sizes, is_refused):
    """2^26 elements of A or B are the most."""
    if is_refused:
        with pytest.raises(CheckError, match="mm would be tried with"):
            verdicts._refuse_huge("mm", "matmul", [Sizes(1, 1, 1), sizes])
    else:
        verdicts._refuse_huge("mm", "matmul", [Sizes(1, 1, 1), sizes])


def test_smaller_grids():
    """For loops over the grid: the two sizes with the most blocks, then elements; none whose grid stays as it is."""
    kernel: Any = SimpleNamespace(looped_axes=(0,))
    found = Found(MATMUL, FormulaLaunch("8", "ceil(cols/8)"), 16, {}, fits=True, how="")
    tested = [Sizes(1, 1, 8), Sizes(2, 5, 64), Sizes(3, 1, 64), Sizes(3, 2, 64), Sizes(9, 9, 24)]
    variant = Variant((0,))
    assert verdicts._smaller(kernel, found, tested) == [(Sizes(3, 2, 64), variant), (Sizes(3, 1, 64), variant)]
    assert verdicts._smaller(kernel, found, tested[:1]) == []
    assert verdicts._smaller(kernel, found, [tested[4], tested[0]]) == [(tested[4], variant)]
    fixed = replace(found, roles=replace(MATMUL, fixed=(Sizes(2, 2, 64),)))
    assert verdicts._smaller(kernel, fixed, tested) == []


@pytest.mark.parametrize(
    ("failing", "row_lengths", "multiples", "is_scaled", "launched"),
    [
        ([0], True, None, False, []),
        ([], False, None, False, []),
        ([], True, None, False, [(Sizes(4, 4, 4), Variant(padding=8))]),
        ([], True, 4, True, [(Sizes(4, 4, 4), Variant(is_scaled=True, padding=8))]),
        ([], True, 12, False, [(Sizes(4, 4, 4), Variant(padding=24))]),
    ],
)
def test_longer_rows(monkeypatch, failing, row_lengths, multiples, is_scaled, launched):
    """A right kernel with leading dimensions is tried with eight elements behind each row, or what keeps a promise."""
    monkeypatch.setattr(verdicts, "are_row_lengths", lambda *_: row_lengths)
    judgement = verdicts.Judgement([Sizes(2, 2, 2), Sizes(4, 4, 4), Sizes(6, 6, 6)], failing=failing)
    given: Any = (None, found_as(), SimpleNamespace(multiples=multiples), judgement)
    assert verdicts._padded(*given, is_scaled=is_scaled) == launched


def test_longer_rows_of_one_size():
    """Where there is one size alone, it is taken."""
    judgement = verdicts.Judgement([Sizes(2, 2, 2)])
    given: Any = (SimpleNamespace(signature=None), found_as(), SimpleNamespace(multiples=None), judgement)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts, "are_row_lengths", lambda *_: True)
        assert verdicts._padded(*given, is_scaled=False)[0][0] == Sizes(2, 2, 2)


@pytest.mark.parametrize(
    ("dtype", "arguments", "takes"),
    [
        ("float32", "A B C 1.0 0.0", True),
        ("float64", "A B C 0.0", True),
        ("float32", "A B C 1.0", True),
        ("float32", "A B C rows", False),
        ("float16", "A B C 1.0 0.0", False),
        ("int32", "A B C 1.0 0.0", False),
    ],
)
def test_who_takes_factors(dtype, arguments, takes):
    """Kernels with an alpha or a beta whose result is a float of 32 or 64 bits."""
    found = found_as(Roles("matmul", tuple(arguments.split())), dtypes={"C": np.dtype(dtype)})
    assert variants.takes_factors(found) == takes


@pytest.mark.parametrize(
    ("sizes", "status", "key"),
    [
        (Sizes(32, 48, 16), WRONG, (False, False, False, 32 * 48 * 16)),
        (Sizes(32, 48, 16), RIGHT, (False, True, False, 32 * 48 * 16)),
        (Sizes(32, 32, 16), WRONG, (False, False, True, 32 * 32 * 16)),
        (Sizes(33, 48, 17), FAULT, (True, False, False, 33 * 48 * 17)),
        (Sizes(1, 3, 2), WRONG, (True, False, True, 6)),
    ],
)
def test_which_problem_tells_most(sizes, status, key):
    """Whole tiles, then wrong results, then sizes that all differ and are not one, then small ones."""
    judgement: Any = SimpleNamespace(launched=[(sizes, PLAIN)], shapes=[SimpleNamespace(status=status)])
    assert cause_of_product._telling(judgement, 0, found_as()) == key


@pytest.mark.parametrize(
    ("counted", "is_own", "budget"),
    [
        (0, True, 12 * 7_000),
        (1_000, False, 12 * 7_000),
        (1_000, True, 40_000 + 400_000),
        (500_000, True, 20_000_000 + 400_000),
        (1_000_000, True, 20_000_000 + 400_000),
        (2_000_000, True, 24_000_000 + 400_000),
    ],
)
def test_how_long_a_change_may_take(monkeypatch, counted, is_own, budget):
    """Forty times the work before, up to 20 million; or twelve times; and 400,000 in any case."""
    asked: list[tuple[int, bool]] = []
    monkeypatch.setattr(cause_of_product, "case_of", lambda *_, **__: SimpleNamespace(geometry=None))
    monkeypatch.setattr(cause_of_product, "starts_at_zero", lambda *_: False)
    monkeypatch.setattr(cause_of_product, "budget_at", lambda *_: 7_000)

    def comes_right(_stand, _case, budget, *, watched):
        asked.append((budget, watched))
        return True

    monkeypatch.setattr(cause_of_product, "_comes_right", comes_right)
    kernel: Any = SimpleNamespace(options=SimpleNamespace(seed=3))
    for status, watched in ((WRONG, [False, True]), (RIGHT, [True])):
        shape = SimpleNamespace(counts={"warp_instructions": counted} if counted else {}, status=status)
        judgement: Any = SimpleNamespace(launched=[(Sizes(2, 2, 2), PLAIN)], shapes=[shape])
        launched = cause_of_product._launched(kernel, found_as(), judgement, 0, is_own=is_own)
        asked.clear()
        stand: Any = None
        assert launched.check(stand)
        assert asked == [(budget, each) for each in watched]


@pytest.mark.parametrize(
    ("statuses", "kinds", "ended"),
    [
        ([RIGHT, FAULT, WRONG], [], [1, 2, 3]),
        ([RIGHT, FAULT, WRONG], ["endless loop"], [1, 3]),
        ([RIGHT, FAULT], ["endless loop"], [1]),
        ([RIGHT, RIGHT, RIGHT, FAULT], ["endless loop"], [1, 2, 3]),
    ],
)
def test_sizes_at_which_a_launch_ends(statuses, kinds, ended):
    """Where one is endless, those that were stopped may be."""
    tested = [Sizes(size, size, size) for size in (1, 2, 3)]
    shapes = [SimpleNamespace(status=status) for status in statuses]
    judgement: Any = SimpleNamespace(tested=tested, shapes=shapes, findings=[error(kind) for kind in kinds])
    assert [sizes.rows for sizes in judging._ended(judgement)] == ended


CAUSE = SimpleNamespace(details={"change": "a barrier"})
OF_VALUES = SimpleNamespace(details={"change": "a * b", "is_of_values": True})
OF_LAUNCH = SimpleNamespace(details={"change": "the grid", "is_of_launch": True})
GUESS = FormulaLaunch("8", "1", is_guess=True)
SOFTMAX = Roles("row_softmax", ("A", "C", "rows", "cols"))
REPEATED = Roles("row_softmax", ("A", "C", "rows", "rows"))


@pytest.mark.parametrize(
    ("found", "kinds", "cause", "said", "explains", "is_explained"),
    [
        (found_as(rule=GUESS, always_stops=True), ["race"], None, "", True, False),
        (found_as(rule=GUESS, always_stops=True), [], CAUSE, "", False, True),
        (found_as(), [], None, "", False, True),
        (found_as(always_stops=True), [], None, "", True, False),
        (found_as(), ["wrong result"], None, "", False, False),
        (found_as(), ["wrong result"], None, "", True, True),
        (found_as(), ["wrong result"], CAUSE, "", False, True),
        (found_as(), ["wrong result"], OF_VALUES, "", False, False),
        (found_as(), ["wrong result"], None, "A,B,C", False, True),
        (found_as(always_stops=True), ["wrong result"], None, "", False, True),
        (found_as(SOFTMAX), ["wrong result"], None, "", True, False),
        (found_as(SOFTMAX), ["wrong result", "race"], None, "", True, True),
        (found_as(SOFTMAX), ["wrong result", "race"], None, "", False, False),
        (found_as(SOFTMAX, rule=GUESS), ["wrong result", "race"], None, "", True, False),
        (found_as(SOFTMAX, fits=False), ["wrong result", "race"], None, "", True, False),
        (found_as(SOFTMAX, always_stops=True, fits=False), ["endless loop"], None, "", False, True),
        (found_as(SOFTMAX), ["wrong result"], OF_VALUES, "", False, True),
        (found_as(SOFTMAX, fits=False), ["wrong result"], OF_VALUES, "", False, False),
        (found_as(SOFTMAX, fits=False), ["wrong result"], CAUSE, "", False, True),
        (found_as(SOFTMAX, fits=False), ["wrong result"], OF_LAUNCH, "", False, True),
        (found_as(REPEATED, fits=False), ["wrong result"], OF_LAUNCH, "", False, False),
        (found_as(REPEATED, fits=False), ["wrong result"], OF_LAUNCH, "A,C", False, True),
        (found_as(REPEATED, fits=False), ["wrong result"], CAUSE, "", False, True),
    ],
)
def test_what_counts_as_explained(monkeypatch, found, kinds, cause, said, explains, is_explained):
    """Who is called wrong must be wrong under what was meant."""
    monkeypatch.setattr(judging, "explains", lambda *_: explains)
    options = SimpleNamespace(arguments=said, operation="")
    known: Any = SimpleNamespace(kernel=SimpleNamespace(options=options), candidate=None)
    judgement: Any = SimpleNamespace(failing=[0], everywhere=set())
    findings = [error(kind) for kind in kinds]
    assert judging._is_explained(known, found, judgement, findings, cause) == is_explained


def test_one_that_always_stops_and_fails_nowhere():
    """There is nothing to explain."""
    known: Any = None
    judgement: Any = SimpleNamespace(failing=[])
    assert judging._is_explained(known, found_as(always_stops=True), judgement, [], None)


@pytest.mark.parametrize(
    ("kind", "address", "is_own", "everywhere", "stays"),
    [
        ("race", "tile[3]", True, False, True),
        ("race", "A[3]", True, False, False),
        ("race", "tile[3]", False, False, False),
        ("uninitialised read", "tile[3]", True, False, False),
        ("uninitialised read", "tile[3]", True, True, True),
        ("uninitialised read", "C[3]", True, True, False),
    ],
)
def test_findings_that_stay_whatever_the_arrays_are(kind, address, is_own, everywhere, stays):
    """Races in shared memory, and reads there of what nobody wrote at any sizes, in a launch of the file's own."""
    rule: Any = object.__new__(OwnLaunch) if is_own else FormulaLaunch("8", "1")
    finding = error(kind)
    finding.address = address
    judgement: Any = SimpleNamespace(everywhere={(kind, finding.place)} if everywhere else set())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OwnLaunch, "is_guess", False, raising=False)
        assert judging._is_of_any_roles(found_as(rule=rule), judgement, finding) == stays
        finding.severity = "warning"
        assert not judging._is_of_any_roles(found_as(rule=rule), judgement, finding)


@pytest.mark.parametrize(
    ("details", "is_proof"),
    [
        ({"change": "a barrier"}, True),
        ({"change": "a * b", "is_of_values": True}, False),
        ({"change": "sum += a * b", "is_of_values": True}, True),
    ],
)
def test_changes_that_prove(details, is_proof):
    """What is computed of the elements may be meant, unless a sum is made of an assignment."""
    cause: Any = SimpleNamespace(details=details)
    assert evidence.is_proof(cause) == is_proof
    assert not evidence.is_proof(None)


@pytest.mark.parametrize(
    ("found", "shares", "alike", "explains"),
    [
        (found_as(replace(MATMUL, fixed=(Sizes(1, 1, 1),)), fits=False), [], None, True),
        (found_as(), [1, 1, 1], None, True),
        (found_as(), [1, 1, 0.9], None, False),
        (found_as(rule=GUESS), [1, 1, 1], None, False),
        (found_as(rule=GUESS), [1, 1, 1], 0.89, False),
        (found_as(rule=GUESS), [1, 1, 1], 0.9, True),
        (found_as(fits=False), [0.7, 0.8, 0.7], None, True),
        (found_as(fits=False), [0.8, 0.69, 0.9], None, False),
    ],
)
def test_what_a_guess_explains(monkeypatch, found, shares, alike, explains):
    """It is right at every draw, and reads its own if it is guessed; or nearly right at every draw."""
    draws = []

    def try_one(_candidate, _roles, rule, _tile, *, choose):
        draws.append(choose)
        share = shares[len(draws) - 1]
        return SimpleNamespace(fits=share == 1, share=share, rule=rule, roles=MATMUL)

    touched = None if alike is None else SimpleNamespace(alike=alike)
    monkeypatch.setattr(evidence, "try_one", try_one)
    monkeypatch.setattr(evidence, "best_by_addresses", lambda *_: touched)
    candidate: Any = SimpleNamespace(shared_extents=())
    assert evidence.explains(candidate, found) == explains
    assert draws == ([trial_sizes, fewer_rows, least_inner] if shares else [])


def fault(kind: Any) -> Any:
    """A fault of a kind."""
    return kind.__new__(kind)


def trial(**more: Any) -> Any:
    """What was tried."""
    known = {"score": 0.0, "alike": 0.0, "fault": None, "rule": FormulaLaunch("8", "1"), "roles": MATMUL}
    return SimpleNamespace(**known | more)


@pytest.mark.parametrize(
    ("tried", "is_believed"),
    [
        (trial(score=0.7), True),
        (trial(score=0.69), False),
        (trial(alike=0.98), False),
        (trial(alike=0.981), True),
        (trial(alike=0.6, fault=fault(BudgetExceeded)), False),
        (trial(alike=0.61, fault=fault(BudgetExceeded)), True),
        (trial(alike=0.61, fault=fault(BarrierFault)), True),
    ],
)
def test_which_guessed_launch_is_believed(tried, is_believed):
    """One under which much of C is right, or what it touches is nearly what it should; less where it hangs."""
    assert search._is_believed(tried) == is_believed


def test_what_trials_cost():
    """One that does not end costs as much as 26."""
    endless = trial(fault=fault(BudgetExceeded))
    assert search._spent([trial(), endless, trial(fault=fault(BarrierFault)), endless]) == 4 + 50


@pytest.mark.parametrize(
    ("trials", "stops"),
    [
        ([trial(fault=fault(BudgetExceeded)), trial(fault=fault(BarrierFault))], True),
        ([trial(fault=fault(BudgetExceeded)), trial()], False),
        ([trial(fault=fault(BudgetExceeded), rule=GUESS)], False),
    ],
)
def test_a_launch_that_always_stops(trials, stops):
    """Under all roles, and it is no guess."""
    assert search._always_stops(trials) == stops


def test_no_fit_says_what_was_tried():
    """Two of the guessed launches, and what a launch stopped with; a launch is asked for unless the file has one."""
    parameters = [SimpleNamespace(name=name, is_pointer=name < "n", is_const=False) for name in ("a", "b", "n")]
    slots: Any = SimpleNamespace(parameters=parameters)
    candidate: Any = SimpleNamespace(name="mm", slots=slots, is_guessed=True, computes_arguments=False)
    done: Any = [trial(), *(trial(rule=FormulaLaunch(str(n), "1", is_guess=True), fault="a stop") for n in (32, 16, 8))]
    said = str(search.no_fit(candidate, done))
    assert said.startswith("mm (a, b, n) computes no matmul, reduced_matmul or dot in any order of its arguments with ")
    assert '(--block 16 --grid "1"; --block 32 --grid "1", ...): give --block and --grid, and if need be --args' in said
    assert said.endswith("; a launch stopped with: a stop.")
    candidate.computes_arguments = True
    assert ": give --args, as in --args rows,inner,cols,A,B,C" in str(search.no_fit(candidate, []))
    assert isinstance(search.no_fit(candidate, []), QuestionError)


@pytest.mark.parametrize(
    ("looks_like_dot", "turns"),
    [
        (False, ["matmul 1", "matmul 2", "matmul 3", "matmul 4", "dot 1", "dot 2", "dot 3", "dot 4", "dot 5", "dot 6"]),
        (True, ["dot 1", "dot 2", "dot 3", "dot 4", "dot 5", "dot 6", "matmul 1", "matmul 2", "matmul 3", "matmul 4"]),
    ],
)
def test_turns_of_guessed_launches(looks_like_dot, turns):
    """Four that cover C are enough, but not of dot products, which come first where a kernel looks like one."""
    rules = [FormulaLaunch(str(number), "1", covers=True) for number in range(1, 7)]
    candidate: Any = SimpleNamespace(rules=lambda _: rules, looks_like_dot=looks_like_dot)
    found = [
        f"{operation} {rule.said.split()[1]}" for operation, rule in guessing._by_turns(candidate, ("matmul", "dot"))
    ]
    assert found == turns


def test_launches_that_never_end():
    """Four that were stopped are enough to give up, if they were the first."""
    stopped, ended = trial(fault=fault(BudgetExceeded)), trial()
    assert guessing._has_ended([stopped] * 4)
    assert not guessing._has_ended([stopped] * 3)
    assert not guessing._has_ended([stopped] * 5)
    assert not guessing._has_ended([stopped, ended, stopped, stopped])


@pytest.mark.parametrize(
    ("text", "failing", "errors", "named"),
    [
        ("int v = n / 4;", [1], [], ("`n / 4`", "up to 3 elements", 11)),
        ("\nint v = n >> 1;", [1], [], ("`n >> 1`", "one element", 12)),
        ("int v = n / 4;", [0, 1], [], None),
        ("int v = n / 4;", [0], [], None),
        ("int v = n / 4;", [1], ["race"], None),
        ("int v = n / 3;", [1], [], None),
        ("int v = m / 4;", [1], [], None),
    ],
)
def test_rests_behind_vectors(monkeypatch, text, failing, errors, named):
    """The quotient is named, if exactly the sizes that it does not divide come out wrong."""
    monkeypatch.setattr(rest_of_vectors, "words_of_sizes", lambda *_: {"n": "inner"})
    kernel = kernel_of(text)
    launched = [(Sizes(1, 8, 1), PLAIN), (Sizes(1, 7, 1), PLAIN)]
    judgement: Any = SimpleNamespace(failing=failing, launched=launched)
    promised = []

    def held_to(promise):
        promised.append(promise.multiples)
        return SimpleNamespace(failing=[]), [error(kind) for kind in errors], []

    cause = rest_of_vectors.rest_of_vectors(kernel, found_as(), judgement, held_to)
    if named is None:
        assert cause is None
    else:
        assert cause is not None
        assert cause.place == ("f.cu", named[2])
        assert all(word in cause.message for word in named[:2])
        assert promised == [2 if ">>" in text else 4]
    assert rest_of_vectors.rest_of_vectors(kernel, found_as(fits=False), judgement, held_to) is None


@pytest.mark.parametrize(("rest", "failing", "line"), [("n & 1", [2], 12), ("n % 2", [2], 12), ("n & 1", [1, 2], 11)])
def test_a_rest_of_which_the_last_one_is_taken(monkeypatch, rest, failing, line):
    """Then lengths with one element more come out right, and the line is that where it is taken."""
    monkeypatch.setattr(rest_of_vectors, "words_of_sizes", lambda *_: {"n": "inner"})
    kernel = kernel_of(f"for (int i = t; i < n / 8; ++i) s += v[i];\nif (t == 0 && ({rest})) s += w[n - 1];")
    launched = [(Sizes(1, inner, 1), PLAIN) for inner in (16, 17, 19)]
    judgement: Any = SimpleNamespace(failing=failing, launched=launched)
    held: Any = SimpleNamespace(failing=[]), [], []
    cause = rest_of_vectors.rest_of_vectors(kernel, found_as(), judgement, lambda _: held)
    assert cause is not None
    assert cause.place == ("f.cu", line)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("for (int i = t; i < n / 4; i += 32) {\n s += v[i];\n}\nreturn;", 13),
        ("int q = n / 4;\nfor (int i = t; i < q; ++i) {\n}", 13),
        ("int q = n / 4;\nfor (int i = t; i < m; ++i) {\n}", None),
        ("for (int i = t; i < n / 4; ++i)\n s += v[i];", None),
    ],
)
def test_where_the_rest_is_missing(text, end):
    """It belongs behind the loop over whole vectors."""
    kernel = kernel_of(text)
    assert rest_of_vectors._end_of_loop(kernel, "n / 4") == end

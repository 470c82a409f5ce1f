"""Small changes under which a kernel that no roles explain is a product: they show its roles, and its mistake.

A mistake such as a wrong name in an index can leave nothing of the product in the results, so that no roles come near.
So the changes that mend common mistakes are tried under every likely order of the roles, each with one small launch.
What is computed from the elements is not changed: the kernel may be meant for something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile, zip_longest

from tilewright.emulate import BudgetExceeded
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.deadline import Deadline
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.sizes import Sizes, fewer_rows, least_inner, trial_sizes, uneven_sizes
from tilewright.lab.source import CompileError, SourceError
from tilewright.lab.source.changes import POSSIBLE, Bounds, Change, edited
from tilewright.lab.source.macros import closing, code_only, words
from tilewright.lab.source.variants import ChangeableKernel

from .address_ranking import SURE
from .candidate import TRIAL_SEED, Candidate, trial_unit
from .candidates import candidate_of, operations_of, size_choices
from .changed_stands import changed_stands
from .hypotheses import WITH_STRIDES, Slots, families_of, hypotheses, of_many, with_strides
from .kernel_file import KernelFile
from .launches import FormulaLaunch, LaunchError, LaunchRule, tile_of
from .other_kinds import guesses_of_kind
from .other_pairs import says_pairs
from .plain_slips import Slip
from .products import PRODUCT_WORDS
from .roles import BIAS, MATRICES, Roles, RolesError
from .transposed import says_transposed
from .trials import Trial, trial_by_addresses, try_roles

BATCH = 40
MOST_CHANGES = 400
MOST_GUESSES = 8
MOST_UNLIKE, UNLIKE = 48, 0.2
"""The same where none explains more than this share: a slip in a thread's own number leaves nothing as it is."""
MOST_NAMED, MOST_SUSPECTED = 2, 2
MOST_RANKED = 150
BEHIND = 0.2
"""How much less than the best a guess may explain of what is read and written."""
MOST_ENDLESS, MOST_ALIASES = 2, 2
CLOSER = 0.9
"""How much less a change is doubted where the mistake must be."""
MOST_LAUNCHES = 2
MOST_REPEATED = 72
SIDES = ("rows", "inner", "cols")
SECONDS = 12.0
"""Of the processor, for one kernel."""
_PRODUCT = re.compile(
    PRODUCT_WORDS
    + r"|gemv|inner|redu|ma[tk]|\bA\s*(?:\([^()\n]*\)\s*)?[*\u00b7\u00d7]\s*B\b"
    + r"|[\w)\]]\s*=[^=;{}\n]{0,12}\w(?:\^T|[\])'\u1d40]|\.T)?\s*[*\u00b7\u00d7]\s*[A-Z]",
    re.IGNORECASE,
)
_REDUCED = re.compile(r"redu|2\s*[x\u00d7]\s*2|rmm", re.IGNORECASE)
_OF_VECTOR = re.compile(r"gemv|mat\w*[-_ ]?vec|\by\s*:?=\s*(?:\w+\s*\*\s*)?A\W?\s*\*?\s*x\b", re.IGNORECASE)
_BY_COLUMNS = re.compile(r"col(?:umn)?[-_ ]?major|by columns|spaltenw|par colonnes|por columnas", re.IGNORECASE)
OF_PAIRS = ("row_pairs", "column_pairs", "square_sums")
TIMES_VECTOR = "cols=1"
_ALIAS = re.compile(r"\b(?P<name>\w+)\s*=(?!=)(?P<of>[^;=]*)")
_DEVICE_FUNCTION = re.compile(r"\b__device__\b[^;{}()]*?\b(?P<name>\w+)\s*\([^;{}]*\)\s*(?:const\s*)?\{")
_SET = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_PARTLY = re.compile(
    r"triang|dreieck|lower|upper|symm|masked|causal|\bband(?:ed)?\b|sparse|diag|relu|activation|softmax|bias|convol|stencil",
    re.IGNORECASE,
)
"""Says that only a part of a product is meant, or more than a product."""


@dataclass(frozen=True)
class _Guess:
    """Roles and a launch under which changed kernels are tried, with the size of a tile."""

    roles: Roles
    rule: LaunchRule
    tile: int

    def tried(self, candidate: Candidate, stand: Stand, choose: Callable[[str, str, int], Sizes]) -> Trial:
        """Return what a changed kernel does at sizes that are chosen for the tile."""
        sizes = self.sizes(candidate, choose)
        return try_roles(stand, self.roles, self.rule, sizes, candidate.dtypes(self.roles), TRIAL_SEED)

    def touched(self, candidate: Candidate) -> Trial:
        """Return how well these roles explain which elements the kernel reads and writes."""
        sizes = self.sizes(candidate, trial_sizes)
        stand = candidate.stand(self.roles.constants_at(sizes))
        trial = Trial(self.roles, self.rule, 0.0)
        return trial_by_addresses(stand, trial, sizes, candidate.dtypes(self.roles), TRIAL_SEED)

    def sizes(self, candidate: Candidate, choose: Callable[[str, str, int], Sizes]) -> Sizes:
        """Return the sizes of a trial."""
        unit = trial_unit(candidate, self.roles, self.tile)
        return self.roles.sized(choose(self.roles.operation, self.roles.family, unit))


def changed_texts(kernel: KernelFile, text: str) -> Iterator[Slip]:
    """Yield the changes of a kernel under which it is a product at three choices of sizes, the likeliest first.

    text: of the file, to which the kernel's may add a launch that a comment describes.
    """
    deadline = Deadline(min(SECONDS, kernel.options.cause_seconds))
    for free in size_choices(kernel)[:2]:
        try:
            candidate = candidate_of(kernel, free, is_other=_adds_pairs(kernel))
            own = ChangeableKernel(
                kernel.opened.file, kernel.signature, Bounds(), list(kernel.constants), kernel.template_arguments
            )
            is_layer = BIAS in candidate.slots.said.values()
            if _PRODUCT.search(candidate.title) is None or (_PARTLY.search(candidate.about) and not is_layer):
                return
            ranked = _likeliest(candidate, _by_turns([_guesses(candidate, each) for each in _meant(kernel, candidate)]))
        except (CheckError, CompileError, LaunchError, RolesError, SourceError):
            continue
        if not ranked:
            continue
        guesses = [guess for _, guess in ranked]
        suspected = set().union(*(_suspected(kernel, *pair) for pair in ranked[:MOST_SUSPECTED]))
        changes = sorted(filter(_may_mend, own.changes()), key=lambda change: _rank(change, suspected))[:MOST_CHANGES]
        for start in range(0, len(changes), BATCH):
            if deadline.is_over:
                return
            fitting = _fitting(kernel, own, candidate, guesses, changes[start : start + BATCH], deadline)
            yield from (Slip(each.line, f"{each.says},", edited(text, each.edits)) for each in fitting)


def _adds_pairs(kernel: KernelFile) -> bool:
    """Return whether a kernel may add pairs of rows or of columns for a reduced product: it reads only one array."""
    pointers = sum(parameter.is_pointer for parameter in kernel.signature.parameters)
    return pointers == len("AC") and len(kernel.opened.kernels) > 1 and says_pairs(kernel.opened.file.text)


def _may_mend(change: Change) -> bool:
    return change.doubt <= POSSIBLE and (not change.is_of_values or "+=" in change.says)


def _meant(kernel: KernelFile, candidate: Candidate) -> Sequence[str]:
    """Return the operations that may be meant: what takes leading dimensions is a product, unless it says otherwise."""
    if _adds_pairs(kernel):
        return OF_PAIRS
    operations = operations_of(kernel)
    is_strided = candidate.slots.count > WITH_STRIDES - 1 and not _REDUCED.search(candidate.about)
    return operations[:1] if is_strided else operations


def _by_turns(sources: Sequence[Iterator[_Guess]]) -> Iterator[_Guess]:
    """Yield the guesses of each operation in turn."""
    return (each for some in zip_longest(*sources) for each in some if each)


def _suspected(kernel: KernelFile, trial: Trial, guess: _Guess) -> set[int]:
    """Return the lines where the mistake is, if the roles are right: those of the array of which other elements are
    taken than should be, and of the indices there; if there is none, those that name no array. None if the roles are
    unlikely.
    """
    pairs = zip(kernel.signature.parameters, guess.roles.arguments, strict=True)
    names = {word: parameter.name.split(".")[-1] for parameter, word in pairs if word in MATRICES}
    strange = {name for word, name in names.items() if trial.apart.get(word, 1.0) < SURE}
    if trial.alike <= UNLIKE:
        return set()
    arrays, lines = strange or set(names.values()), kernel.body.split("\n")[1:]
    for _ in range(MOST_ALIASES):
        arrays |= {match["name"] for match in _ALIAS.finditer(kernel.body) if arrays & words(match["of"])}
    first = kernel.signature.line + 1
    of_arrays = {first + at for at, line in enumerate(lines) if arrays & words(line)}
    if not strange:
        return {first + at for at in range(len(lines))} - of_arrays
    indices = {word for number in of_arrays for word in words(lines[number - first])} - arrays
    called = _lines_of_functions(code_only(kernel.opened.file.text), indices)
    return of_arrays | called | {first + at for at, line in enumerate(lines) if indices & set(_SET.findall(line))}


def _lines_of_functions(code: str, names: set[str]) -> set[int]:
    """Return the lines of the bodies of those of a file's functions for the device that are among some names."""
    found: set[int] = set()
    for match in _DEVICE_FUNCTION.finditer(code):
        if match["name"] in names:
            first = code.count("\n", 0, match.end()) + 1
            found.update(range(first, first + code.count("\n", match.end(), closing(code, match.end() - 1)) + 1))
    return found


def _rank(change: Change, suspected: set[int]) -> float:
    is_suspected = not suspected.isdisjoint(range(change.line, change.last_line + 1))
    return change.doubt - (CLOSER if is_suspected else 0.0)


def _likeliest(candidate: Candidate, guesses: Iterator[_Guess]) -> list[tuple[Trial, _Guess]]:
    """Return the guesses that best explain which elements are read and written, with what they touch, the best first.

    A slip in one index leaves the other arrays as they are. Of launches that do not end, all look alike.
    """
    ranked: list[tuple[Trial, _Guess]] = []
    endless = 0
    for guess in islice(guesses, MOST_RANKED):
        trial = guess.touched(candidate) if endless < MOST_ENDLESS else Trial(guess.roles, guess.rule, 0.0)
        endless += isinstance(trial.fault, BudgetExceeded)
        ranked.append((trial, guess))
    names = [parameter.name for parameter in candidate.slots.parameters]
    ranked.sort(key=lambda pair: (-pair[0].alike, not _is_named_so(names, pair[1].roles)))
    usual = [pair for pair in ranked if _is_named_so(names, pair[1].roles)][:MOST_NAMED]
    most = MOST_GUESSES if ranked and ranked[0][0].alike > UNLIKE else MOST_UNLIKE
    likely = [(trial, guess) for trial, guess in ranked[:most] if trial.alike >= ranked[0][0].alike - BEHIND]
    return likely + [pair for pair in usual if pair not in likely]


def _is_named_so(names: Sequence[str], roles: Roles) -> bool:
    """Return whether parameters are called what they are: A, B and C, m rows, n columns and k along the sums.

    What a slip leaves of a launch that it stops tells nothing else.
    """
    sides, constants = {"m": "rows", "n": "cols", "k": "inner"}, dict(roles.constants)
    pairs = zip(names, roles.formulas, strict=True)
    plain = [(name.split(".")[0].rsplit("_", 1)[-1].lower(), word) for name, word in pairs]
    is_of_arrays = all(name == word.lower() for name, word in plain if word in MATRICES)
    named = dict(plain) | {name.lower(): word for name, word in constants.items()}
    return is_of_arrays and all(named.get(name) == word for name, word in sides.items())


def _guesses(candidate: Candidate, operation: str) -> Iterator[_Guess]:
    """Yield the likely roles, all sizes different, with the known launch or the first guessed ones."""
    if operation in KINDS:
        for roles, rule in guesses_of_kind(KINDS[operation], candidate):
            yield _Guess(roles, rule, tile_of(rule, roles, candidate.shared_extents))
        return
    by_columns = _BY_COLUMNS.search(candidate.title) is not None
    may_lie = operation == "matmul" and (by_columns or says_transposed(candidate.text))
    lying = ("B", "A", "AB") if may_lie else ()
    slots, of_vector = candidate.slots, operation == "matmul" and _OF_VECTOR.search(candidate.title) is not None
    for rule in islice(_launches(candidate, operation), MOST_LAUNCHES):
        with_length = (TIMES_VECTOR,) if of_vector and slots.count == len(SIDES) else ()  # of a row, as lda
        for family in (*with_length, *families_of(operation, slots)):
            turned = (("A",) if lying else ()) if family == TIMES_VECTOR else lying
            likely = hypotheses(operation, family, slots)
            strided = [(each, name) for name in ("", *turned) for each in with_strides(operation, family, slots, name)]
            if len(slots.counts) == 1:
                strided += [(each, name) for name in turned for each in of_many(operation, family, slots, name)]
            if slots.count > len(SIDES):  # leading dimensions beside the widths that they equal
                all_sides = (each for each in likely if set(SIDES) <= {*each.arguments, *dict(each.constants).values()})
                plain: Iterator[Roles] = islice(all_sides, 0 if strided and not slots.counts else MOST_REPEATED)
            else:
                plain = takewhile(_is_apart, likely)
            both = ((each, name) for each in plain for name in ("", *turned))
            both = (pair for pair in both if family not in with_length or _has_length_of_rows(slots, *pair))
            for roles, name in chain(strided, both):
                turned_roles = replace(roles, transposed=name)
                yield _Guess(turned_roles, rule, tile_of(rule, turned_roles, candidate.shared_extents))


def _has_length_of_rows(slots: Slots, roles: Roles, transposed: str) -> bool:
    """Return whether the size behind A is the length of its rows, as it lies, and each side is there."""
    sides = roles.formulas
    sizes = {*slots.sizes, *slots.places.values()}
    behind = min((at for at in sizes if at > roles.arguments.index("A")), default=0)
    is_length = sides[behind] == ("rows" if "A" in transposed else "inner")
    return is_length and {"rows", "inner"} <= set(sides)


def _is_apart(roles: Roles) -> bool:
    return roles.is_bijective or bool(roles.family)


def _launches(candidate: Candidate, operation: str) -> Iterator[LaunchRule]:
    rules = candidate.rules(operation)
    return (each for each in rules if operation == "dot" or not isinstance(each, FormulaLaunch) or each.covers)


def _fitting(
    kernel: KernelFile,
    own: ChangeableKernel,
    candidate: Candidate,
    guesses: Sequence[_Guess],
    changes: Sequence[Change],
    deadline: Deadline,
) -> Iterator[Change]:
    """Yield the changes under which some guess fits; those that also fit sizes without whole tiles come first."""
    by_values: dict[tuple[tuple[str, int], ...], list[_Guess]] = {}
    compiled_in = words(code_only(kernel.opened.part.text)) | set(kernel.size_variables)
    compiled_in -= {parameter.name for parameter in kernel.signature.parameters}
    for guess in guesses:
        at = guess.roles.constants_at(guess.sizes(candidate, trial_sizes))
        at = {name: value for name, value in at.items() if name in compiled_in}
        by_values.setdefault(tuple(sorted(at.items())), []).append(guess)
    found: list[tuple[bool, Change]] = []
    for known, same in by_values.items():
        values = dict(known)
        for change, stand in changed_stands(kernel, own, changes, values):
            if deadline.is_over:
                break
            fitting = _first_fit(candidate, same, stand, is_constant=bool(values))
            if fitting is not None:
                is_right = not values and fitting.tried(candidate, stand, uneven_sizes).fits
                found.append((is_right, change))
    yield from (change for _, change in sorted(found, key=lambda pair: not pair[0]))


def _first_fit(candidate: Candidate, guesses: Sequence[_Guess], stand: Stand, *, is_constant: bool) -> _Guess | None:
    """Return the guess that fits at three choices of sizes; at one, if the sizes are compiled into the kernel."""
    for guess in guesses:
        trial = guess.tried(candidate, stand, trial_sizes)
        if isinstance(trial.fault, BudgetExceeded):
            return None
        others = () if is_constant or guess.roles.family else (fewer_rows, least_inner)
        if trial.fits and all(guess.tried(candidate, stand, each).fits for each in others):
            return guess
    return None

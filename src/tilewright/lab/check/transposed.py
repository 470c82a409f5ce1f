"""Whether a kernel that is wrong as A times B is right as a product with a transposed matrix."""

from __future__ import annotations

import numpy

from .candidate import TRIAL_SEED, Candidate, Found, trial_unit
from .element_types import numbers
from .products import compare, operands
from .sizes import trial_sizes
from .trials import try_roles

PRODUCTS = {"A times the transposed B": (False, True), "the transposed A times B": (True, False)}


def transposed_product(candidate: Candidate, found: Found) -> str:
    """Return which product with a transposed matrix the kernel computes with these roles, in words; or nothing."""
    roles = found.roles
    if found.fits or roles.operation != "matmul" or roles.fixed:
        return ""
    sizes = trial_sizes("matmul", roles.family, trial_unit(candidate, roles, found.tile))
    stand = candidate.stand(roles.constants_at(sizes))
    trial = try_roles(stand, roles, found.rule, sizes, found.dtypes, TRIAL_SEED)
    if not trial.contents:
        return ""
    a, b = operands("matmul", sizes, found.dtypes, numpy.random.default_rng(TRIAL_SEED))
    c = numpy.frombuffer(trial.contents, found.dtypes["C"])[: sizes.rows * sizes.cols]
    for words, (of_a, of_b) in PRODUCTS.items():
        left = a.reshape(a.shape[::-1]).T.copy() if of_a else a
        right = b.reshape(b.shape[::-1]).T.copy() if of_b else b
        if compare("matmul", left, right, numbers(c).reshape(sizes.rows, sizes.cols)).passed:
            return words
    return ""

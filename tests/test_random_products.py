"""Products drawn at random: the same for a seed, of the kinds and regimes that they are counted in."""

from __future__ import annotations

from benchmarks.measure.bench_random import distributions
from benchmarks.random_products import KINDS, MOST_ELEMENTS, REGIMES, drawn

COUNT = 30


def test_a_seed_draws_the_same_again():
    """And another one others."""
    assert list(drawn("a", COUNT)) == list(drawn("a", COUNT))
    assert list(drawn("a", COUNT)) != list(drawn("b", COUNT))


def test_sizes_are_of_their_kind():
    """A third each of multiples of 8, even sizes that are none, and odd ones."""
    products = list(drawn("kinds", COUNT))

    for product in products:
        sizes = product.rows, product.inner, product.columns
        if product.kind == "odd":
            assert all(size % 2 for size in sizes), product
        elif product.kind == "even":
            assert all(size % 2 == 0 and size % 8 for size in sizes), product
        else:
            assert all(size % 8 == 0 for size in sizes), product
    counts = [sum(product.kind == kind for product in products) for kind in KINDS]
    assert counts == [COUNT * len(REGIMES) // 3] * 3


def test_sizes_are_of_their_regime():
    """Within 8 of its limits, and no matrix is too large for a card."""
    limits = {regime.name: regime for regime in REGIMES}
    for product in drawn("regimes", COUNT):
        regime, batch = limits[product.regime], product.batch or 1
        for size, (least, most) in (
            (product.rows, regime.rows),
            (product.inner, regime.inner),
            (product.columns, regime.columns),
            (batch, regime.batch),
        ):
            assert least - 8 <= size <= max(most, 8), product
        assert batch * max(product.rows * product.inner, product.rows * product.columns) <= MOST_ELEMENTS


def test_what_is_published_of_ratios():
    """Means and shares of each regime and kind, the 5th percentile and the worst."""
    rows = [
        {"regime": "any", "kind": "odd", "dtype": "float16", "ratio": ratio} for ratio in (0.5, 0.96, 0.99, 2.0, 4.0)
    ]

    found = distributions(rows)

    assert set(found) == {"any", "odd", "all"}
    assert found["all"] == {
        "count": 5,
        "mean": round((0.5 * 0.96 * 0.99 * 2 * 4) ** 0.2, 4),
        "share_at_1": 0.6,
        "share_at_0.95": 0.8,
        "percentile_5": 0.5,
        "worst": 0.5,
    }

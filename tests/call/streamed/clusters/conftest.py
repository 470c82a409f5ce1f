"""Matrices for products by a cluster, and the right answer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

from tests.call.streamed.clusters.clusters import K, M, N, cluster, poisoned, stored


@pytest.fixture
def files(tmp_path):
    """A, B and a poisoned C in zarr, and the product in float64."""
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((M, K), dtype="f4"), generator.standard_normal((K, N), dtype="f4")
    exact = a.astype("f8") @ b
    return SimpleNamespace(
        folder=tmp_path, a=stored(tmp_path, "a", a), b=stored(tmp_path, "b", b), c=poisoned(tmp_path), exact=exact
    )


@pytest.fixture
def client():
    """A client of two workers, threads of this process."""
    with cluster(2) as found:
        yield found

"""The time of a product on many nodes, from flops, bytes and messages: a model, for any number of devices.

Devices form a grid of rows x columns x layers. A layer multiplies a part of the inner dimension: its devices gather
their rows of A and their columns of B, multiply, and add the layers' summands of C. One dimension larger than 1 is a
1-D layout, rows x columns is SUMMA's, and with layers it is the 2.5-D one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

from tilewright.choose.many.sharded import MOST_PIECES
from tilewright.kernels.refusals import PlanError

TABLE = Path(__file__).with_name("nodes.toml")
ELEMENT_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}


@dataclass(frozen=True)
class Cluster:
    """Nodes of equal devices. Rates are those of one device, in one direction; latencies of one message.

    devices_at_once: how many devices compute at full rate, for processes that share cores; None: all.
    """

    name: str
    devices_per_node: int
    memory_bytes: float
    flops_per_s: dict[str, float]
    link_bytes_per_s: float
    network_bytes_per_s: float
    link_latency_s: float
    network_latency_s: float
    devices_at_once: int | None = None


class Grid(NamedTuple):
    """Devices as rows x columns x layers."""

    rows: int
    columns: int
    layers: int

    @property
    def layout(self) -> str:
        """As in "2-D"."""
        if self.layers > 1 and self.rows * self.columns > 1:
            return "2.5-D"
        return "1-D" if max(self) == self.rows * self.columns * self.layers else "2-D"

    def __str__(self) -> str:
        """As in "8 x 4 x 2"."""
        return " x ".join(map(str, self))


@dataclass(frozen=True)
class Prediction:
    """A grid's times in seconds, and the bytes that a device receives and holds.

    ``order``: the dimensions from the one whose neighbours share a node outwards, as in "columns, rows, layers".
    """

    grid: Grid
    order: str
    compute_s: float
    messages_s: float
    received_bytes: float
    held_bytes: float

    def seconds(self, *, overlapped: bool = True) -> float:
        """The time of the product. Overlapped: the shorter of both is hidden but for the first piece."""
        if not overlapped:
            return self.compute_s + self.messages_s
        longer, shorter = max(self.compute_s, self.messages_s), min(self.compute_s, self.messages_s)
        return longer + shorter / MOST_PIECES

    def efficiency(self, *, overlapped: bool = True) -> float:
        """The share of the time that computing alone would take."""
        return self.compute_s / self.seconds(overlapped=overlapped)


def cluster(name: str) -> Cluster:
    """The cluster of the table with this name. Raises PlanError if there is none."""
    table = _table()
    if name not in table:
        raise PlanError(f"There is no cluster {name!r} in the table; there are {', '.join(table)}.")
    return Cluster(**{key: value for key, value in table[name].items() if key != "sources"})


def predict(m: int, k: int, n: int, dtype: str, devices: int, on: Cluster, grid: Grid | None = None) -> Prediction:
    """The fastest way of A (m, k) times B (k, n) on so many devices, all operands shared out evenly.

    Args:
        m: rows of A.
        k: columns of A.
        n: columns of B.
        dtype: the type of all three matrices.
        devices: the number of devices.
        on: the cluster.
        grid: the only grid to look at; None looks at all.

    Raises:
        PlanError: the cluster has no rate of that type, or the matrices do not fit into its memory.
    """
    if dtype not in on.flops_per_s:
        raise PlanError(f"{on.name} has no rate for {dtype}; it has {', '.join(on.flops_per_s)}.")
    grids = _grids(devices) if grid is None else [grid]
    found = [each for one in grids for each in _placed(m, k, n, dtype, one, on)]
    fitting = [each for each in found if each.held_bytes <= on.memory_bytes]
    if not fitting:
        least = min(each.held_bytes for each in found)
        raise PlanError(
            f"{m} x {k} x {n} {dtype} takes {least:.3g} bytes of each of {devices} devices, which have "
            f"{on.memory_bytes:.3g}; take more devices."
        )
    return min(fitting, key=lambda each: (each.seconds(), each.messages_s))


def _grids(devices: int) -> Iterator[Grid]:
    for rows in _divisors(devices):
        for columns in _divisors(devices // rows):
            yield Grid(rows, columns, devices // rows // columns)


def _divisors(number: int) -> list[int]:
    return [each for each in range(1, number + 1) if number % each == 0]


def _placed(m: int, k: int, n: int, dtype: str, grid: Grid, on: Cluster) -> Iterator[Prediction]:
    """The grid with each order of its dimensions over the nodes."""
    item, devices = ELEMENT_BYTES[dtype], grid.rows * grid.columns * grid.layers
    gathered = {
        "columns": item * m * k / grid.rows / grid.layers,  # a row of devices gathers rows of A
        "rows": item * k * n / grid.columns / grid.layers,
        "layers": item * m * n / grid.rows / grid.columns,
    }
    sizes = dict(zip(("rows", "columns", "layers"), grid, strict=True))
    held = item * (m * k + k * n) / devices + sum(gathered.values())
    at_once = devices if on.devices_at_once is None else min(devices, on.devices_at_once)
    compute = 2 * m * k * n / at_once / on.flops_per_s[dtype]
    received = sum(whole * (sizes[name] - 1) / sizes[name] for name, whole in gathered.items())
    orders = {tuple(name for name in order if sizes[name] > 1) for order in permutations(sizes)}
    for order in sorted(orders):
        left, messages = on.devices_per_node, 0.0
        for name in order:
            inside = gcd(sizes[name], left)
            left //= inside
            messages += _gathering(gathered[name], sizes[name], inside, on)
        yield Prediction(grid, ", ".join(order) or "one device", compute, messages, received, held)


def _gathering(whole: float, size: int, inside: int, on: Cluster) -> float:
    """The time in which ``size`` devices, ``inside`` of them in each node, come to hold these bytes.

    Each node receives what it lacks once, shared out to its adapters, while its devices pass on what they have.
    """
    by_link = whole * (size - 1) / size / on.link_bytes_per_s if inside > 1 else 0.0
    by_network = whole * (size - inside) / size / inside / on.network_bytes_per_s
    latency = (inside - 1) * on.link_latency_s + (size // inside - 1) * on.network_latency_s
    return max(by_link, by_network) + latency


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))

"""The tables of docs/many-gpus.md: products on several GPUs, a model beside what was measured, and its predictions."""

from __future__ import annotations

from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown
from tilewright.choose.many.nodes import Cluster, Grid, Prediction, cluster, predict
from tilewright.choose.quantities import duration, in_words

PREDICTED = ((8, 8192), (8, 32768), (8, 65536), (8000, 65536), (8000, 262144), (8000, 1048576))
"""Devices and the side of a square product."""


def two_gpus() -> str:
    """Every product: ours, how many times as fast as the rivals, and the share of communication that is hidden."""
    measured = record.read(record.RESULTS / "two_gpus.json")
    header = [
        "m x k x n",
        "type",
        "A",
        "B",
        "C",
        "us",
        "torch / ours",
        "to our placement / ours",
        "gathered / ours",
        "hidden",
    ]
    lines = []
    for row in measured["rows"]:
        ours = row["us"]["tilewright"]
        lines.append(
            [
                f"{row['m']} x {row['k']} x {row['n']}",
                *(row["dtype"], row["a"], row["b"], row["c_of_tilewright"]),
                f"{row['median_us']['tilewright']:,.0f} ({min(ours):,.0f} to {max(ours):,.0f})",
                *(f"{row[f'ratio_to_{rival}']:.2f}" for rival in ("torch", "torch to the same placements", "gathered")),
                f"{100 * row['hidden']:.0f} %" if "hidden" in row else "",
            ]
        )
    groups = [
        [name, f"{group['mean']:.2f}", f"{group['least']:.2f}", str(group["cases"])]
        for name, group in measured["groups"].items()
    ]
    environment = measured["environment"]
    where = ", ".join(measured["devices"]) or f"{environment['processor']}, {environment['cores']} cores"
    note = (
        f"{where}, driver {environment['driver']}, {measured['backend']}, {measured['processes']} processes, torch "
        f"{measured['torch']}, {measured['date']}: {measured['how']}. Not measured for want of time: "
        f"{', '.join(measured['not_measured']) or 'nothing'}."
    )
    summary = markdown(["group", "mean", "least", "cases"], groups)
    return f"{summary}\n\n{markdown(header, lines)}\n\n{note}"


def many_processes() -> str:
    """What was measured in 1, 2 and 4 processes beside what the model says."""
    measured = record.read(record.RESULTS / "processes.json")
    lines, errors = [], []
    for row in rows_of_grids(measured):
        predicted = predicted_us(measured, row)
        errors.append(predicted / min(row["us"]))
        lines.append(
            [
                *(str(row["processes"]), str(Grid(*row["grid"])), f"{row['m']} x {row['k']} x {row['n']}"),
                *(f"{us / 1e3:.1f}" for us in (min(row["us"]), row["median_us"], max(row["us"]), predicted)),
                f"{errors[-1]:.2f}",
            ]
        )
    header = [
        "processes",
        "rows x columns x layers",
        "m x k x n",
        "ms",
        "median",
        "slowest",
        "predicted ms",
        "predicted / ms",
    ]
    environment = measured["environment"]
    note = (
        f"The model is {min(errors):.2f} to {max(errors):.2f} times what was measured. {environment['processor']}, "
        f"{environment['cores']} cores, torch {measured['torch']}, {measured['date']}: {measured['how']}. Other work "
        "ran on the machine, so that the fastest sample is compared. The model takes three numbers of this run: the "
        "rate of one process's product, and the rate and latency of messages between two."
    )
    return f"{markdown(header, lines)}\n\n{note}"


def rows_of_grids(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """The products that were computed as their grid says; for the others the plan had found a way with fewer bytes."""
    return [row for row in measured["rows"] if (row["grid"][2] > 1) == ("partial" in row["c"])]


def predicted_us(measured: dict[str, Any], row: dict[str, Any]) -> float:
    """The model's time of a product of the measured ones; messages take the cores, so that nothing hides them."""
    m, k, n = (row[name] for name in "mkn")
    found = predict(m, k, n, "float32", row["processes"], host_cluster(measured), Grid(*row["grid"]))
    return found.seconds(overlapped=False) * 1e6


def host_cluster(measured: dict[str, Any]) -> Cluster:
    """The measured machine, by the rates of one process and of two."""
    one, two = measured["rates"][:2]
    return Cluster(
        name="processes of one machine",
        devices_per_node=max(rates["processes"] for rates in measured["rates"]),
        memory_bytes=1e12,
        flops_per_s={"float32": one["flops_per_s"]},
        link_bytes_per_s=two["bytes_per_s"],
        network_bytes_per_s=two["bytes_per_s"],
        link_latency_s=two["latency_s"],
        network_latency_s=two["latency_s"],
        devices_at_once=measured["environment"]["cores"],
    )


def many_nodes() -> str:
    """What the model predicts for 8 GPUs and for 1,000 nodes: nothing of it was measured."""
    on, lines = cluster("h100"), []
    for devices, side in PREDICTED:
        best = predict(side, side, side, "bfloat16", devices, on)
        line = predict(side, side, side, "bfloat16", devices, on, Grid(devices, 1, 1)) if devices == 8 else None
        lines.append(
            [
                *(f"{devices:,}", f"{side:,}", f"{best.grid} ({best.grid.layout})"),
                *_told(best),
                "" if line is None else f"{100 * line.efficiency():.0f} %",
            ]
        )
    header = [
        *("GPUs", "m = k = n", "rows x columns x layers", "computing", "messages", "received by each", "predicted"),
        *("of computing alone", "1-D"),
    ]
    note = f"Predicted, for {on.name}; bfloat16. `choose/many/nodes.toml` says where each rate is from."
    return f"{markdown(header, lines)}\n\n{note}"


def _told(found: Prediction) -> list[str]:
    return [
        *(duration(found.compute_s), duration(found.messages_s), in_words(found.received_bytes)),
        *(duration(found.seconds()), f"{100 * found.efficiency():.0f} %"),
    ]

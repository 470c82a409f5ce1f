"""The catalogue as a table, in the place of `<!-- catalogue -->`."""

from __future__ import annotations

from tilewright.kernels import CATALOGUE, TaughtKernel

PLACE = "<!-- catalogue -->"


def with_catalogue(text: str) -> str:
    """Return the text with the table of all kernels, where it asks for it."""
    return text.replace(PLACE, _table()) if PLACE in text else text


def _table() -> str:
    lines = ["| kernel | what it does | seeds | needs |", "| --- | --- | --- | --- |"]
    for kernel in CATALOGUE:
        if isinstance(kernel, TaughtKernel):
            tiles = "" if kernel.tile is None else f"tiles {kernel.tile}; "
            needs = f"{tiles}{' or '.join(sorted(kernel.runs_on))}"
        else:
            needs = ", ".join(f"{dtype} from {major}.{minor}" for dtype, (major, minor) in kernel.since.items())
        lines.append(f"| `{kernel.name}` | {kernel.summary} | {', '.join(kernel.seeds)} | {needs} |")
    return "\n".join(lines)

"""The catalogue as a table, in the place of `<!-- catalogue -->`."""

from __future__ import annotations

from tilewright.kernels import CATALOGUE
from tilewright.kernels.chip_catalogue import CHIP_CATALOGUE, STEPS

PLACE = "<!-- catalogue -->"


def with_catalogue(text: str) -> str:
    """Return the text with the table of all kernels, where it asks for it."""
    return text.replace(PLACE, _table()) if PLACE in text else text


def _table() -> str:
    lines = ["| kernel | what it does | seeds | needs |", "| --- | --- | --- | --- |"]
    for kernel in CATALOGUE:
        tiles = "" if kernel.tile is None else f"tiles {kernel.tile}; "
        lines.append(
            f"| `{kernel.name}` | {kernel.summary} | {', '.join(kernel.seeds)} | "
            f"{tiles}{' or '.join(sorted(kernel.runs_on))} |"
        )
    for chip_kernel in (*CHIP_CATALOGUE, *STEPS):
        since = ", ".join(f"{dtype} from {major}.{minor}" for dtype, (major, minor) in chip_kernel.since.items())
        lines.append(f"| `{chip_kernel.name}` | {chip_kernel.summary} | {', '.join(chip_kernel.seeds)} | {since} |")
    return "\n".join(lines)

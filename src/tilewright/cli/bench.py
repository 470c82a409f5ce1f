"""`tilewright bench`: one product on this GPU, beside torch.matmul."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tilewright.choose.quantities import three_digits

from .refusals import Refusal
from .screen import screen
from .tables import new_table
from .writing import JSON_HELP, check_json_path, write_json


class SixteenBit(StrEnum):
    """The types, as the option takes them."""

    float16 = "float16"
    fp16 = "fp16"
    bfloat16 = "bfloat16"
    bf16 = "bf16"


DTYPES = {"fp16": "float16", "bf16": "bfloat16"}


def bench(
    rows: Annotated[int, typer.Argument(min=1, help="Rows of A and C.")],
    inner: Annotated[int, typer.Argument(min=1, help="Columns of A and rows of B.")],
    columns: Annotated[int, typer.Argument(min=1, help="Columns of B and C.")],
    dtype: Annotated[SixteenBit, typer.Option(help="The type of A, B and C.")] = SixteenBit.bf16,
    batch: Annotated[int | None, typer.Option(min=1, help="So many products at once.")] = None,
    views: Annotated[bool, typer.Option("--views", help="Take them out of matrices with aligned rows.")] = False,
    compiled: Annotated[bool, typer.Option("--compiled", help="Also torch.compile(torch.matmul).")] = False,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="About so much GPU time.")] = 2.0,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Time a product on this GPU, tilewright and torch in turn on the same random numbers, with a cold L2 cache."""
    check_json_path(json_path)
    _check_torch()
    from tilewright.lab.bench.products import MeasuredProduct
    from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer, WrongProductError, compare_products

    product = MeasuredProduct(
        rows, inner, columns, DTYPES.get(dtype.value, dtype.value), batch, "views" if views else "contiguous"
    )
    rivals = ["torch", *(["padded"] if product.is_odd else []), *(["compiled"] if compiled else [])]
    try:
        found = compare_products(product, ColdTimer(), seconds, rivals)
    except WrongProductError as error:
        raise Refusal(str(error)) from error
    except RuntimeError as error:
        raise Refusal(f"{product} could not be measured: {error}") from error

    if write_json(json_path, {"comparison": found.record(), "not_measured": NOT_MEASURED}):
        return
    console = screen()
    table = new_table("", ">median us", ">quartiles", ">TFLOP/s", ">GB/s", ">times ours", style="")
    for name, times in found.times.items():
        low, high = times.quartiles_us
        table.add_row(
            name,
            f"{times.median_us:.2f}",
            f"{low:.2f} to {high:.2f}",
            three_digits(found.tflops(name)),
            three_digits(found.gb_per_s(name)),
            "" if name == OURS else f"{found.ratio(name):.2f}",
        )
    console.print(f"{product}, {product.dtype}, {product.layout}", markup=False)
    console.print(table)
    console.print(
        "GPU time from before the first kernel of a call to after its last, the L2 cache read full of something else "
        f"before each. {NOT_MEASURED}",
        style="dim",
    )


def _check_torch() -> None:
    try:
        import torch
    except ImportError as error:
        raise Refusal("bench measures beside torch, which is not installed: pip install torch.") from error
    if not torch.cuda.is_available():
        raise Refusal("bench needs an NVIDIA GPU and a torch with CUDA, and this torch finds none.")

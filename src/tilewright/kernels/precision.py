"""Precisions: how float32 matrices are multiplied.

- "ieee": products and sums in float32, each rounded once (fused multiply-adds), as SGEMM;
- "tf32": one product on the tensor cores, of numbers rounded to 11 significant bits (to the nearest, ties to even; what
  rounds beyond float32's range becomes infinite);
- "bf16x6": six products on the tensor cores, of three bfloat16 parts of each number;
- "fp16x3": three products on the tensor cores, of two scaled float16 parts of each number;
- "auto": the fastest of those that are as accurate as SGEMM.

Of the middle three what is asked for is the least that is computed: where "ieee" is faster, it is "ieee".
"""

from __future__ import annotations

from tilewright.kernels.refusals import PlanError

PRECISIONS = ("auto", "ieee", "tf32", "bf16x6", "fp16x3")
"""What may be asked for in a product of float32."""
AS_SGEMM = ("bf16x6", "ieee")
"""Those that are as accurate as SGEMM, from which "auto" chooses."""


def precision_of(dtype: str, asked: str | None) -> str | None:
    """Return the precision of a product of a type: None for all types but float32, whose default is "auto".

    Raises:
        PlanError: there is no such precision, or the type has none to choose.
    """
    if asked is not None and asked not in PRECISIONS:
        raise PlanError(f"precision is {asked!r}, and one of {', '.join(map(repr, PRECISIONS))} is accepted.")
    if dtype == "float32":
        return asked or "auto"
    if asked in {None, "auto"}:
        return None
    raise PlanError(f"precision is {asked!r}, which is for float32, and {dtype} takes 'auto'.")


def accepted(honoured: tuple[str, ...]) -> tuple[str, ...]:
    """Return what may be asked of a kernel that honours these: "auto", too, where one is as accurate as SGEMM."""
    return (*honoured, "auto") if set(honoured) & set(AS_SGEMM) else honoured


def resolved(asked: str | None, honoured: tuple[str, ...], *, may_be_exact: bool = False) -> str | None:
    """Return what a kernel computes that honours these: "auto" is the first that is as accurate as SGEMM.

    ``may_be_exact``: so is any other that the kernel, which was chosen for its speed, has not.
    """
    is_free = asked == "auto" or (may_be_exact and asked not in honoured)
    return next((one for one in AS_SGEMM if one in honoured), asked) if is_free else asked

"""What `tilewright.plan` makes of stored arrays: a plan to be read, and the function that runs it."""

from __future__ import annotations

from typing import Any

from tilewright.choose.streamed import StreamedPlan

from .product import explain_streamed, multiply_streamed


class PreparedStream:
    """A product of stored arrays, ready to run; its text shows the plan, and `plan` is the plan itself."""

    def __init__(self, plan: StreamedPlan, arrays: tuple[Any, Any, Any], options: dict[str, Any]) -> None:
        self.plan = plan
        self._arrays, self._options = arrays, options

    def __call__(self, *, resume: bool = False, progress: Any = False) -> Any:
        """Run it on the arrays that it was made for; the result, which is `out` if one was given.

        Args:
            resume: continue an earlier run from the tiles that are whole.
            progress: True for a bar, or a function of (steps done, all steps).

        Raises:
            PlanError, StoreError: as `tilewright.matmul`.
        """
        return multiply_streamed("matmul", *self._arrays, resume=resume, progress=progress, **self._options)

    def __str__(self) -> str:
        """Return the plan: tiles, bytes moved, the peak of each memory, and the bound."""
        return str(self.plan)


def prepare_streamed(a: object, b: object, out: object, **options: Any) -> PreparedStream:
    """Check and plan a product of stored arrays; nothing runs. Raises as `tilewright.matmul`."""
    return PreparedStream(explain_streamed("matmul", a, b, out, **options), (a, b, out), options)

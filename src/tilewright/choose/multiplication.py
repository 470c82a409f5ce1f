"""Old names; see `tilewright.kernels.problem` and `tilewright.kernels.operand`."""

from tilewright.kernels.renamed import renamed

__getattr__ = renamed(
    __name__,
    {"Multiplication": "tilewright.kernels.problem.Problem", "Epilogue": "tilewright.kernels.problem.Epilogue"}
    | {name: f"tilewright.kernels.operand.{name}" for name in ("Operand", "packed")},
)

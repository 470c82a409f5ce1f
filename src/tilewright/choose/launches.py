"""Old names; see `tilewright.kernels.launch` and `tilewright.Plan`."""

from tilewright.kernels.renamed import renamed

__getattr__ = renamed(
    __name__,
    {"GpuPlan": "tilewright.choose.plan.Plan", "PlannedLaunch": "tilewright.kernels.launch.Launch"}
    | {name: f"tilewright.kernels.launch.{name}" for name in ("Pointer", "Scalar", "TensorMap", "BUFFERS")},
)

"""Old names; see `tilewright.choose.choose_plan`."""

from tilewright.kernels.renamed import renamed

__getattr__ = renamed(__name__, {"plan_multiplication": "tilewright.choose.choice.choose_plan"})

"""Old names; see `tilewright.launch.cuda`."""

from tilewright.kernels.renamed import renamed

__getattr__ = renamed(__name__, {"GpuMachine": "tilewright.launch.cuda.machine.CudaMachine"})

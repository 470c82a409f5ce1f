"""Compiling: NVRTC turns a kernel's source and macros into PTX or a cubin. No driver and no GPU are needed."""

from tilewright.compile.cubin import ResourceUsage, resource_usage
from tilewright.compile.nvrtc import CompileError, CompilerMissingError, compile_source, nvrtc_version
from tilewright.compile.program import Program, compile_kernel
from tilewright.compile.shipped import ptx_of_package

__all__ = [
    "CompileError",
    "CompilerMissingError",
    "Program",
    "ResourceUsage",
    "compile_kernel",
    "compile_source",
    "nvrtc_version",
    "ptx_of_package",
    "resource_usage",
]

"""Compiles a prepared file in this process: quicker than a child, and only for files that are known to be harmless."""

from __future__ import annotations

from tilewright.compile.nvrtc import CompiledProgram, compile_with_headers
from tilewright.lab.source.cuda_file import CudaFile
from tilewright.lab.source.instances import instances_of
from tilewright.lab.source.preparing import Prepared, prepare
from tilewright.lab.source.stand_ins import HOST_TYPES


def compiled(file: CudaFile, **macros: str) -> tuple[CompiledProgram, Prepared]:
    """The program of a file's device part, and what was known before it was compiled."""
    prepared = prepare(file, macros)
    source, headers = prepared.texts({})
    program = compile_with_headers(
        source,
        file.name,
        architecture="compute_90",
        macros=macros,
        headers=headers,
        instances=list(instances_of(prepared, None, ())),
        extra_options=[
            f"--pre-include={HOST_TYPES}",
            *(["--device-as-default-execution-space"] if prepared.needs_default_device else []),
        ],
    )
    return program, prepared

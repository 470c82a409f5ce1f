"""A user's CUDA C++ file: read, its device part kept, compiled in a child process, its subscripts checked."""

from tilewright.compile.nvrtc import CompileError, CompilerMissingError
from tilewright.lab.source.compiling import CompiledUserFile, compile_user_code, compile_user_file
from tilewright.lab.source.cuda_file import CudaFile, SourceError, read_cuda_file
from tilewright.lab.source.instrumenting import SUBSCRIPT_LOG, CheckedSubscripts, findings_of_instrumented_run
from tilewright.lab.source.isolation import Limits
from tilewright.lab.source.launches import LaunchSite, ResolvedLaunch, host_type, resolve_launch, resolve_number
from tilewright.lab.source.preparing import DevicePart, device_part
from tilewright.lab.source.signatures import KernelSignature, Parameter, SharedArray
from tilewright.lab.source.subscripts import InstrumentedText, instrument_subscripts

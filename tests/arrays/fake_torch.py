"""A stand-in for torch whose CUDA tensors are in the emulator's memory: what the calls use of it, and no more."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tests.arrays.emulated_gpu import STREAM, EmulatedArray, EmulatedGpu
from tilewright.arrays.cuda_array import packed_strides


class Dtype:
    """A type of torch's: equal by identity, and shown as torch.float32."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


DTYPES = {name: Dtype(name) for name in ("float16", "bfloat16", "float32", "float64", "int32", "uint8")}


@dataclass(frozen=True)
class Device:
    """A device of torch's."""

    type: str
    index: int

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


class Tensor:
    """A tensor on the emulated GPU."""

    layout, is_quantized, is_nested, is_cuda = "strided", False, False, True
    __torch_dispatch__ = None

    def __init__(self, array: EmulatedArray, *, requires_grad: bool = False) -> None:
        self.array, self.requires_grad = array, requires_grad
        self.dtype, self.shape = DTYPES[array.dtype], array.shape
        self.device = Device("cuda", 0)
        self.negative = False
        self.tangent = None
        self.used_on: set[int] = set()

    @property
    def values(self):
        """Its numbers as float64."""
        return self.array.values

    def stride(self):
        """In elements."""
        return self.array.strides

    def data_ptr(self):
        """Where its first element is."""
        return self.array.address

    def get_device(self):
        """The first GPU."""
        return 0

    def is_neg(self):
        """Whether its numbers stand for their negatives."""
        return self.negative

    def resolve_conj(self):
        """Real numbers are their own."""
        return self

    def resolve_neg(self):
        """A tensor that says what it holds."""
        if not self.negative:
            return self
        copy = EmulatedArray(self.array.gpu, self.shape, self.array.dtype)
        return Tensor(copy.set(-self.values))

    def detach(self):
        """The same numbers, of which nothing is recorded."""
        return Tensor(self.array)

    def contiguous(self):
        """A copy without gaps."""
        return Tensor(EmulatedArray(self.array.gpu, self.shape, self.array.dtype).set(self.values))

    def record_stream(self, stream):
        """Its memory is not given to others before what is queued there now has been done."""
        self.used_on.add(stream.cuda_stream)

    def copy_(self, source):
        """All elements."""
        self.array.set(-source.values if self.negative else source.values)
        return self


class Stream:
    """A stream, torch's own or another's."""

    def __init__(self, cuda_stream, device=0):
        self.cuda_stream, self.device_index = cuda_stream, device


class OutOfMemoryError(RuntimeError):
    """What torch raises."""


def install(monkeypatch: pytest.MonkeyPatch, gpu: EmulatedGpu) -> Any:
    """Let `import torch` find the stand-in, whose memory is this GPU's."""
    torch: Any = SimpleNamespace(
        **DTYPES,
        Tensor=Tensor,
        nn=SimpleNamespace(Parameter=type("Parameter", (Tensor,), {})),
        strided="strided",
        grad=True,
        limit_elements=10**6,
        _C=SimpleNamespace(
            _cuda_getCurrentRawStream=lambda _: torch.stream,
            _functorch=SimpleNamespace(is_functorch_wrapped_tensor=lambda _: False),
            _is_fwd_grad_enabled=lambda: True,
            _len_torch_dispatch_stack=lambda: 0,
            _len_torch_function_stack=lambda: 0,
            _are_functorch_transforms_active=lambda: False,
            _get_tracing_state=lambda: None,
        ),
        autograd=SimpleNamespace(forward_ad=SimpleNamespace(_current_level=-1, unpack_dual=lambda tensor: tensor)),
        utils=SimpleNamespace(_python_dispatch=SimpleNamespace(_is_in_torch_dispatch_mode=False)),
        overrides=SimpleNamespace(has_torch_function=lambda _: False),
        compiler=SimpleNamespace(is_compiling=lambda: False),
        cuda=SimpleNamespace(
            OutOfMemoryError=OutOfMemoryError,
            Stream=Stream,
            ExternalStream=Stream,
            default_stream=lambda device: Stream(0, device),
            current_stream=lambda device: Stream(torch.stream, device),
        ),
        device=Device,
        allocations=0,
        stream=STREAM,
    )

    @contextmanager
    def stream(given):
        before, torch.stream = torch.stream, given.cuda_stream
        try:
            yield
        finally:
            torch.stream = before

    torch.cuda.stream = stream

    def empty_strided(shape, strides, *, dtype, device):
        shape = tuple(shape)
        assert (device.type, device.index) == ("cuda", 0)
        torch.allocations += 1
        if torch.limit_elements == 0:
            raise OutOfMemoryError("CUDA out of memory.\nTried to allocate")
        return Tensor(EmulatedArray(gpu, shape, dtype.name, strides))

    def empty(shape, *, dtype, device):
        return empty_strided(shape, packed_strides(tuple(shape)), dtype=dtype, device=device)

    torch.empty, torch.empty_strided = empty, empty_strided
    torch.is_grad_enabled = lambda: torch.grad
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch

"""The kernels that are planned for a chip: what each needs, and that its source and its entry say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright import kernels
from tilewright.compile.planned import own_headers
from tilewright.kernels import CATALOGUE, Kernel, TaughtKernel, UnknownKernelError, find, find_taught, kernels_of

KERNELS = Path(kernels.__file__).parent
IN_TEXT = {
    "shared memory": ("__shared__",),
    "barrier": ("__syncthreads",),
    "mma.sync": ("mma.sync.",),
    "wgmma": ("wgmma.mma_async",),
    "TMA": ("cp.async.bulk.tensor",),
    "clusters": ("barrier.cluster",),
}


def by_name(kernel: Kernel) -> str:
    """The kernel as a test's name has it."""
    return kernel.name


def text_of(kernel: Kernel) -> str:
    """The source with the headers that it includes, without comments."""
    return re.sub(r"//.*", "", "\n".join([kernel.source_text(), *own_headers(kernel.source).values()]))


@pytest.mark.parametrize(
    "kernel", [kernel for kernel in CATALOGUE if not isinstance(kernel, TaughtKernel)], ids=by_name
)
def test_families_are_those_of_the_source(kernel):
    """What a kernel is said to need is what its text and its headers use."""
    text = text_of(kernel)

    used = {family for family, words in IN_TEXT.items() if any(word in text for word in words)}
    assert used == {*kernel.families, *kernel.families_where_there}
    assert not {*kernel.families} & {*kernel.families_where_there}
    assert re.search(rf"void __launch_bounds__\(.*?\)\s+{kernel.entry}\(", text)


def test_names_are_told_apart():
    """No idea stands for two kernels of an operation; steps are not to be asked for, and seeds' kernels are found."""
    names = [kernel.name for kernel in CATALOGUE]

    assert len(names) == len(set(names))
    steps = {"wgmma_small", "repack", "splitk_reduce", "split_float32", "largest_exponents", "recompute_float32"}
    assert not steps & {kernel.idea for kernel in kernels_of("matmul")}
    with pytest.raises(UnknownKernelError, match="matmul/mma_sync has its tile from a plan for a chip"):
        find_taught("matmul", "mma_sync")


def test_whatever_runs_on_a_gpu_runs_on_the_emulator():
    """Those of warpgroups, too; only the twins in C run on the host."""
    for kernel in CATALOGUE:
        assert kernel.runs_on == ({"host"} if kernel.on_host else {"gpu", "emulator"})


@pytest.mark.parametrize(
    ("idea", "dtype", "capability", "sentence"),
    [
        ("mma_sync", "bfloat16", (7, 5), "takes bfloat16 from compute capability 8.0 on; this chip has 7.5."),
        ("mma_sync", "float16", (7, 5), None),
        ("mma_sync", "float64", (9, 0), "takes float16 or bfloat16, not float64."),
        ("cuda_cores_16bit", "bfloat16", (7, 5), None),
    ],
)
def test_chips_and_types(idea, dtype, capability, sentence):
    """Each kernel says from which chip on it takes a type."""
    kernel = find("matmul", idea)
    refusal = kernel.chip_refusal(dtype, capability)

    assert refusal is None if sentence is None else sentence in (refusal or "")


@pytest.mark.parametrize("source", sorted(KERNELS.rglob("*.cu*")), ids=lambda source: source.name)
def test_sources_fit_a_page(source):
    """Lines of 120 columns at most, without spaces at their ends, in files of 400 lines at most."""
    lines = source.read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 400
    assert [line for line in lines if len(line) > 120 or line != line.rstrip()] == []

"""A report's kernels on a GPU: right there, too, and timed."""

import numpy

from tilewright.choose import Problem
from tilewright.lab.report import Given, gather, page_of


def test_kernels_are_timed_on_the_gpu(gpu):
    """The whole problem, each result checked; the page names the GPU beside its times."""
    problem, generator = Problem.of("matmul", 100, 70, 50, "float32"), numpy.random.default_rng(0)
    a, b = (generator.standard_normal(shape, dtype=numpy.float32) for shape in (problem.a_shape, problem.b_shape))
    found = gather(Given(problem, a, b, "random"), device="gpu")

    ran = [kernel for kernel in found.kernels if kernel.run is not None]
    assert found.passed
    assert found.gpu == gpu.facts().name
    for kernel in ran:
        assert kernel.verdict_on_gpu is not None
        assert kernel.verdict_on_gpu.passed
        assert kernel.on_gpu is not None
        assert kernel.on_gpu.kernel_seconds > 0
    assert f"timed on {found.gpu}" in page_of(found)

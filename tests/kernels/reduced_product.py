"""A reduced product of small integers, run on the emulator with every observer watching."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.kernels.integer_product import IntegerProduct, rounded
from tests.kernels.plan_on_emulator import run_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import choose_plan, find_chip
from tilewright.kernels.problem import Problem

SOME_SMS = 4


class ReducedProduct(IntegerProduct):
    """A reduced product of small integers, whose pair sums every type holds."""

    def multiplication(self):
        """The product as plans see it."""
        a, b, c, *c_operand = [operand.operand for operand in self.operands]
        added = c_operand[0] if c_operand else None
        return Problem(a, b, c, self.dtype, self.out_dtype, self.epilogue, added, "reduced_matmul")

    def factors(self):
        """The sums of pairs as float64, each rounded once to the type."""
        a, b = super().factors()
        sums = a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2]
        return [rounded(each, self.dtype) for each in sums]


def packed(dtype, m, k, n, **more):
    """A reduced product of packed matrices with C (m, n)."""
    shapes = ((2 * m, k), (k, 2 * n), (m, n))
    return ReducedProduct(dtype, dtype, shapes, [(shape[1], 1) for shape in shapes], **more)


def checked(product, emulator, chip="t4", architecture="compute_75", kernel="pair_sums", tile=None):
    """Compare every element, inside C and outside, expect no error of any observer, and return the plan."""
    plan = choose_plan(product.multiplication(), replace(find_chip(chip), sm_count=SOME_SMS), kernel, tile)
    held = {name: emulator.allocate(array.nbytes, name) for name, array in product.buffers.items()}
    workspace = emulator.allocate(max(plan.workspace_bytes, 1), "workspace")
    workspace.write(np.full(workspace.nbytes, 0xFF, np.uint8))
    for name, array in product.buffers.items():
        held[name].write(array)
    addresses = {name: buffer.address + product.firsts[name] for name, buffer in held.items()}
    watching = all_observers()
    run_on_emulator(emulator, plan, addresses | {"workspace": workspace.address}, architecture, watching)

    assert [found for each in watching for found in each.findings if found.severity == "error"] == []
    product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
    for buffer in (*held.values(), workspace):
        buffer.free()
    return plan

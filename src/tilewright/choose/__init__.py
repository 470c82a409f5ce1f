"""Choosing: which kernel, which tile, and why. Pure planning; no device is touched."""

from tilewright.choose.chips import UnknownChipError, chip_names, find_chip, with_architecture
from tilewright.choose.choice import choose_plan, named_kernel
from tilewright.choose.occupancy.limits import Limit, resident_blocks
from tilewright.choose.occupancy.resident import Occupancy, occupancy
from tilewright.choose.occupancy.roofline import Roofline, roofline
from tilewright.choose.plan import Plan
from tilewright.kernels.facts import EMULATOR_FACTS, HOST_FACTS, DeviceFacts
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

__all__ = [
    "EMULATOR_FACTS",
    "HOST_FACTS",
    "DeviceFacts",
    "Limit",
    "Occupancy",
    "Plan",
    "PlanError",
    "Problem",
    "Roofline",
    "UnknownChipError",
    "chip_names",
    "choose_plan",
    "find_chip",
    "named_kernel",
    "occupancy",
    "resident_blocks",
    "roofline",
    "with_architecture",
]

"""Choosing: which kernel, which tile, and why. Pure planning; no device is touched."""

from tilewright.choose.choice import choose_plan
from tilewright.choose.facts import EMULATOR_FACTS, HOST_FACTS, DeviceFacts, resident_blocks
from tilewright.choose.plan import Plan, PlanError
from tilewright.choose.problem import Problem

__all__ = [
    "EMULATOR_FACTS",
    "HOST_FACTS",
    "DeviceFacts",
    "Plan",
    "PlanError",
    "Problem",
    "choose_plan",
    "resident_blocks",
]

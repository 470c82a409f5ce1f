"""A sweep: one kernel at all its tiles, counted on the emulator; which tile is fastest on a chip, and why."""

from tilewright.lab.sweep.result import Sweep, SweepRow
from tilewright.lab.sweep.run import sweep

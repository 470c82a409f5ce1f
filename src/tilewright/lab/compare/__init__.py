"""A comparison: every kernel on the same A and B, each checked, timed and counted."""

from tilewright.lab.compare.comparison import Comparison, compare
from tilewright.lab.compare.record import Candidate, Row

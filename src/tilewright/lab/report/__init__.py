"""Everything about one multiplication on one page: its answer, its kernels, what a chip makes of them, an animation."""

from tilewright.lab.report.gathering import gather
from tilewright.lab.report.page import page_of
from tilewright.lab.report.report import Given, Report

__all__ = ["Given", "Report", "gather", "page_of"]

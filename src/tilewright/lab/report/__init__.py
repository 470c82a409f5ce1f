"""Everything about one multiplication on one page: its answer, its kernels, what a chip makes of them, an animation."""

from tilewright.lab.report.contents import Given, Report
from tilewright.lab.report.gathering import gather
from tilewright.lab.report.page import page_of
from tilewright.lab.report.reporting import report

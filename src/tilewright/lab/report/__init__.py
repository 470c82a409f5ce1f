"""One multiplication on one page: its result, its kernels, their occupancy and roofline, an animation."""

from tilewright.lab.report.contents import Given, Report
from tilewright.lab.report.gathering import gather
from tilewright.lab.report.page import page_of
from tilewright.lab.report.reporting import report

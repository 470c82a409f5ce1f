"""What is read out of compute-sanitizer's messages; needs no GPU."""

from __future__ import annotations

from tests.gpu.sanitizer_log import Complaint, complaints

LOG = """
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at no_barrier+0x1c0 in /tmp/x/no_barrier.cu:16
=========     and Read access at no_barrier+0x2c0 in /tmp/x/no_barrier.cu:20 [3840 hazards]
=========
========= Invalid __global__ read of size 4 bytes
=========     at 0x340 in no_guard.cu:16:_Z8no_guardPKf
=========     by thread (0,4,0) in block (0,1,0)
========= Invalid __global__ read of size 4 bytes
=========     at 0x340 in no_guard.cu:16:_Z8no_guardPKf
=========     by thread (1,4,0) in block (0,1,0)
========= Barrier error detected. Divergent thread(s) in block
=========     at _Z6branchPf+0x90
=========     by thread (1,4,0) in block (0,1,0)
========= Program hit an error of no kernel
========= ERROR SUMMARY: 4 errors
""".splitlines()


def test_complaints_are_counted_by_case_and_line():
    """Places give the case and its lines, or the kernel's name gives the case alone."""
    assert complaints(LOG, ["no_barrier", "no_guard", "branch"]) == {
        Complaint("no_barrier", "Error: Race reported between Write access", (16, 20)): 1,
        Complaint("no_guard", "Invalid __global__ read of size 4 bytes", (16,)): 2,
        Complaint("branch", "Barrier error detected. Divergent thread(s) in block", ()): 1,
    }


def test_complaints_about_others_are_left_out():
    """Only the named cases are asked for."""
    assert complaints(LOG, ["another"]) == {}

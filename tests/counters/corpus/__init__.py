"""Kernels of the kinds that students and kernel authors write, each with its launch, inputs and NumPy's answer.

To add one: NAME.cu here, a Case in the list of its kind, and `python -m tests.gpu.run_corpus` on an H200, which checks
its result there and writes what the hardware counts to corpus_h200.json.
"""

from tests.counters.corpus import collectives, linear_algebra, maps, neighbors

CORPUS = (*maps.CASES, *neighbors.CASES, *collectives.CASES, *linear_algebra.CASES)

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What a repeated product on a GPU costs on the host, compiled: reading torch's tensors, packing arguments, launching.

It decides nothing. `tilewright` hands over a plan as numbers and the driver's functions as addresses, and does the same
in Python where this module is not installed; whatever goes wrong here is looked at and said there. Tensors are read
through DLPack's C exchange API, which torch has (2.11 at the latest), so that nothing of torch or CUDA is needed to build it.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

INTERFACE = 5
"""What `tilewright` expects of this module; it uses no other."""

MOST_LAUNCHES = 8
MOST_ARGUMENTS = 256
MOST_BYTES = 8192
"""Plans beyond these are launched by Python: copies of all arguments are made on the stack."""

cdef enum:
    launches_limit = 8
    arguments_limit = 256
    bytes_limit = 8192
    dimensions_limit = 16
    buffers = 6
    inputs_limit = 4
    tensors_limit = 5
    map_bytes = 128
    alignment = 64
    cuda = 2


include "launches.pxi"
include "tensors.pxi"
include "xla_handler.pxi"

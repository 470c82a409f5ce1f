# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What a repeated product on a GPU costs on the host, compiled: reading torch's tensors, packing arguments, launching.

It decides nothing. `tilewright` hands over a plan as numbers and the driver's functions as addresses, and does the same
in Python where this module is not installed; whatever goes wrong here is looked at and said there. Tensors are read
through DLPack's C exchange API (torch 2.9 and newer), so that nothing of torch or CUDA is needed to build it.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

INTERFACE = 2
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

# The parts of dlpack.h (version 1) and cuda.h that are used.

ctypedef struct Device:
    int32_t kind
    int32_t index

ctypedef struct DataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

ctypedef struct DLTensor:
    void* data
    Device device
    int32_t ndim
    DataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

ctypedef struct Exchange:
    uint32_t major
    uint32_t minor
    void* previous
    void* allocate
    void* managed_from_object
    void* managed_to_object
    int (*tensor_of)(void*, DLTensor*) except -1
    int (*stream_of)(int, int32_t, void**) except -1

ctypedef struct Configuration:
    uint32_t grid[3]
    uint32_t block[3]
    uint32_t shared_bytes
    void* stream
    void* attributes
    uint32_t attribute_count

ctypedef struct Map:
    int buffer
    size_t place
    uint64_t more
    uint64_t address
    int dtype
    uint32_t rank
    void* sizes
    void* strides
    void* box
    void* steps
    int interleave
    int swizzle
    int promotion
    int fill

ctypedef int (*LaunchFunction)(const Configuration*, void*, void**, void**) noexcept nogil
ctypedef int (*EncodeFunction)(
    void*, int, uint32_t, void*, const void*, const void*, const void*, const void*, int, int, int, int
) noexcept nogil
ctypedef int (*CurrentFunction)(void**) noexcept nogil
ctypedef int (*PushFunction)(void*) noexcept nogil
ctypedef int (*PopFunction)(void**) noexcept nogil


cdef class Launches:
    """The launches of a plan. Many threads may run it at once: each launches from a copy of the arguments.

    driver: addresses of cuLaunchKernelEx, cuTensorMapEncodeTiled, cuCtxGetCurrent, cuCtxPushCurrent, cuCtxPopCurrent.
    context: the handle of the device's context. template: all arguments as the driver reads them, addresses first.
    pointers: for each address which buffer's it is, and how many bytes further on. maps: a `Map`'s fields each, without
    the address. launches: a configuration's address, a kernel's handle, and where in the template each argument is.
    refused: is called with the number of a launch (-1: the encoding of a map) and the driver's status, and raises.
    owner: what keeps the memory at those addresses. device: whose `inherited` says that a fork has cut it off, which its
    `check_process` then says.
    """

    cdef LaunchFunction launch
    cdef EncodeFunction encode
    cdef CurrentFunction current
    cdef PushFunction push
    cdef PopFunction pop
    cdef void* context
    cdef size_t size
    cdef int launch_count, pointer_count, map_count
    cdef int[arguments_limit] buffer_of
    cdef uint64_t[arguments_limit] further
    cdef Configuration[launches_limit] configurations
    cdef void* functions[launches_limit]
    cdef int[launches_limit + 1] first
    cdef size_t[arguments_limit] offsets
    cdef Map* maps
    cdef uint8_t* memory
    cdef uint8_t* template
    cdef object owner, refused, device

    def __cinit__(
        self, tuple driver, context, bytes template, list pointers, list maps, list launches, refused, owner,
        device,
    ):
        cdef int index, total = 0
        cdef Map* map
        if len(template) > MOST_BYTES or len(launches) > MOST_LAUNCHES or len(pointers) > MOST_ARGUMENTS:
            raise OverflowError("The plan has more launches or arguments than are packed here.")
        if sum([len(offsets) for _, _, offsets in launches]) > MOST_ARGUMENTS:
            raise OverflowError("The plan has more arguments than are packed here.")
        self.launch, self.encode = <LaunchFunction><uintptr_t>driver[0], <EncodeFunction><uintptr_t>driver[1]
        self.current = <CurrentFunction><uintptr_t>driver[2]
        self.push, self.pop = <PushFunction><uintptr_t>driver[3], <PopFunction><uintptr_t>driver[4]
        self.context, self.owner, self.refused = <void*><uintptr_t>context, owner, refused
        self.device = device
        self.size = len(template)
        self.memory = <uint8_t*>calloc(self.size + alignment, 1)
        self.maps = <Map*>calloc(len(maps) + 1, sizeof(Map))
        if self.memory is NULL or self.maps is NULL:
            raise MemoryError
        self.template = aligned(self.memory)
        memcpy(self.template, <const uint8_t*>template, self.size)
        self.pointer_count = len(pointers)
        for index, (buffer, more) in enumerate(pointers):
            self.buffer_of[index], self.further[index] = buffer, more
        self.map_count = len(maps)
        for index, fields in enumerate(maps):
            map = &self.maps[index]
            map.buffer, map.place, map.more, map.dtype, map.rank = fields[:5]
            map.sizes, map.strides = <void*><uintptr_t>fields[5], <void*><uintptr_t>fields[6]
            map.box, map.steps = <void*><uintptr_t>fields[7], <void*><uintptr_t>fields[8]
            map.interleave, map.swizzle, map.promotion, map.fill = fields[9:]
        self.launch_count = len(launches)
        for index, (configuration, function, offsets) in enumerate(launches):
            self.configurations[index] = (<Configuration*><uintptr_t>configuration)[0]
            self.functions[index] = <void*><uintptr_t>function
            self.first[index] = total
            for offset in offsets:
                self.offsets[total] = offset
                total += 1
        self.first[self.launch_count] = total

    def __dealloc__(self):
        free(self.memory)
        free(self.maps)

    def run(self, tuple addresses, stream):
        """Launch with the buffers at these addresses; what the driver refuses is raised."""
        cdef uint64_t[buffers] places
        cdef int index
        if self.device.inherited:
            self.device.check_process()
        for index in range(buffers):
            places[index] = addresses[index]
        self.checked(places, <void*><uintptr_t>stream)

    cdef int checked(self, const uint64_t* places, void* stream) except -1:
        cdef int failed = 0
        cdef int status = self.go(places, stream, &failed)
        if status:
            self.refused(failed, status)
        return 0

    cdef int go(self, const uint64_t* places, void* stream, int* failed) noexcept:
        cdef uint8_t[bytes_limit + alignment] stack
        cdef void* parameters[arguments_limit]
        cdef uint64_t* slots = <uint64_t*>self.template
        cdef uint8_t* copy = aligned(stack)
        cdef Configuration configuration
        cdef Map* map
        cdef void* context
        cdef uint64_t address
        cdef int index, status = 0
        for index in range(self.pointer_count):
            slots[index] = places[self.buffer_of[index]] + self.further[index]
        for index in range(self.map_count):
            map = &self.maps[index]
            address = places[map.buffer]
            if address != map.address:
                map.address = 0
                status = self.encode(
                    self.template + map.place, map.dtype, map.rank, <void*>(address + map.more), map.sizes, map.strides,
                    map.box, map.steps, map.interleave, map.swizzle, map.promotion, map.fill,
                )
                if status:
                    failed[0] = -1
                    return status
                map.address = address
        memcpy(copy, self.template, self.size)
        with nogil:
            for index in range(self.first[self.launch_count]):
                parameters[index] = copy + self.offsets[index]
            context = NULL
            self.current(&context)
            if context != self.context:
                status = self.push(self.context)
            for index in range(self.launch_count):
                if status == 0:
                    configuration = self.configurations[index]
                    configuration.stream = stream
                    failed[0] = index
                    status = self.launch(&configuration, self.functions[index], parameters + self.first[index], NULL)
            if context != self.context:
                self.pop(&context)
        return status


cdef class Reader:
    """Reads torch's tensors. Made with torch.Tensor, torch.nn.Parameter and torch.is_grad_enabled."""

    cdef Exchange* exchange
    cdef object plain, weight, grad_enabled

    def __cinit__(self, plain, weight, grad_enabled):
        self.plain, self.weight, self.grad_enabled = plain, weight, grad_enabled
        self.exchange = <Exchange*>PyCapsule_GetPointer(plain.__dlpack_c_exchange_api__, "dlpack_exchange_api")
        if self.exchange.major != 1:
            raise NotImplementedError("Only version 1 of DLPack is known here.")

    def key_of(self, tuple tensors, options):
        """All that a product depends on but the tensors' addresses, or None: tilewright.call.repeated_product.key_of."""
        cdef int64_t[tensors_limit * (1 + 2 * dimensions_limit)] key
        cdef uint64_t[tensors_limit] addresses
        cdef PyObject* given[tensors_limit]
        cdef int count, index
        if len(tensors) > tensors_limit:
            return None
        for index in range(<int>len(tensors)):
            given[index] = <PyObject*>tensors[index]
        count = self.read(given, <int>len(tensors), True, key, addresses)
        return None if count < 0 else ((<const uint8_t*>key)[: count * sizeof(int64_t)], options)

    cdef int read(self, PyObject** tensors, int tensor_count, bint wary, int64_t* key, uint64_t* addresses):
        """How the tensors lie, as numbers, and their addresses; how many numbers, -1 for what is no plain tensor."""
        cdef int count = 0, number, index
        cdef DLTensor found
        cdef bint odd
        for number in range(tensor_count):
            tensor = <object>tensors[number]
            addresses[number] = 0
            if tensor is None:
                key[count] = -1
                count += 1
                continue
            if type(tensor) is not self.plain and type(tensor) is not self.weight:
                return -1
            try:
                self.exchange.tensor_of(<void*>tensor, &found)
                if found.device.kind != cuda or found.ndim > dimensions_limit:
                    return -1
                if tensor.requires_grad and self.grad_enabled():
                    return -1
            except Exception:  # a tensor without memory, which is said elsewhere
                return -1
            addresses[number] = address_of(&found)
            key[count] = (
                found.ndim
                | (<int64_t>found.dtype.code << 8)
                | (<int64_t>found.dtype.bits << 16)
                | (<int64_t>(addresses[number] % 16) << 24)
                | (<int64_t>found.device.index << 32)
            )
            count += 1
            odd = False
            for index in range(found.ndim):
                key[count], key[count + found.ndim] = found.shape[index], found.strides[index]
                odd |= found.strides[index] & 1 and found.shape[index] > 1
                count += 1
            count += found.ndim
            # What is kept negated is the imaginary part of a complex number, so that its strides are even.
            if (wary or not odd) and tensor.is_neg():
                return -1
        return count

    cdef uint64_t address(self, tensor) except? 1:
        cdef DLTensor found
        self.exchange.tensor_of(<void*>tensor, &found)
        return address_of(&found)


cdef class Product:
    """A product whose plan is ready, called with torch's tensors.

    ``empty`` makes tensors of `result`'s and `working`'s arguments, which is None where no working memory is needed.
    ``spans``, ``out_span`` and ``addend_lies_as_out`` are those of tilewright.call.repeated_product.RepeatedProduct.
    """

    cdef Reader reader
    cdef Launches launches
    cdef object empty
    cdef tuple result, working
    cdef int device, span_count
    cdef int[inputs_limit] inputs
    cdef int64_t[inputs_limit] before
    cdef int64_t[inputs_limit] behind
    cdef int64_t out_before, out_behind
    cdef bint addend_lies_as_out

    def __cinit__(
        self, Reader reader, Launches launches, empty, tuple result, tuple working, int device, tuple spans,
        tuple out_span, bint addend_lies_as_out,
    ):
        self.reader, self.launches, self.empty = reader, launches, empty
        self.result, self.working = result, working
        self.device, self.span_count = device, len(spans)
        for index, span in enumerate(spans):
            self.inputs[index], self.before[index], self.behind[index] = span
        self.out_before, self.out_behind = out_span
        self.addend_lies_as_out = addend_lies_as_out

    def again(self, tuple tensors, out):
        """Multiply (A, B, c, bias): C, or None where `out` touches one of them."""
        cdef uint64_t[inputs_limit] addresses
        cdef uint64_t to = 0
        cdef int index
        for index in range(inputs_limit):
            tensor = tensors[index]
            addresses[index] = 0 if tensor is None else self.reader.address(tensor)
        if out is not None:
            to = self.reader.address(out)
        return self.at(addresses, out, to)

    cdef at(self, const uint64_t* addresses, out, uint64_t to):
        cdef uint64_t[buffers] places
        cdef int64_t start, low, high
        cdef void* stream = NULL
        cdef int index, input
        if self.launches.device.inherited:  # before torch is asked for anything
            self.launches.device.check_process()
        if out is None:
            out = self.empty(*self.result)
            to = self.reader.address(out)
        else:
            low, high = <int64_t>to + self.out_before, <int64_t>to + self.out_behind
            for index in range(self.span_count):
                input = self.inputs[index]
                start = <int64_t>addresses[input]
                if start + self.before[index] < high and low < start + self.behind[index]:
                    if input == 2 and self.addend_lies_as_out and <uint64_t>start == to:
                        continue
                    return None
        places[0], places[1], places[2], places[3], places[4] = addresses[0], addresses[1], to, addresses[2], addresses[3]
        places[5] = 0
        working = None
        if self.working is not None:
            working = self.empty(*self.working)
            places[5] = self.reader.address(working)
        self.reader.exchange.stream_of(cuda, self.device, &stream)
        self.launches.checked(places, stream)
        return out


cdef class Prepared:
    """A product for tensors (A, B, c, bias, out) whose keys, without options, are among these two."""

    cdef Product product
    cdef bytes key, other

    def __cinit__(self, Product product, bytes key, bytes other):
        self.product, self.key, self.other = product, key, other

    def call(self, a, b, c, bias, out):
        """C; None where a tensor lies otherwise, or `out` touches an input."""
        cdef int64_t[tensors_limit * (1 + 2 * dimensions_limit)] key
        cdef uint64_t[tensors_limit] addresses
        cdef PyObject* given[tensors_limit]
        given[0], given[1], given[2], given[3], given[4] = (
            <PyObject*>a, <PyObject*>b, <PyObject*>c, <PyObject*>bias, <PyObject*>out
        )
        cdef int size = 8 * self.product.reader.read(given, tensors_limit, False, key, addresses)
        if size < 0 or not (same(self.key, key, size) or same(self.other, key, size)):
            return None
        return self.product.at(addresses, out, addresses[4])


cdef inline bint same(bytes key, const int64_t* found, int size):
    return len(key) == size and memcmp(<const char*>key, found, size) == 0


cdef inline uint8_t* aligned(uint8_t* memory) noexcept:
    return <uint8_t*>((<uintptr_t>memory + alignment - 1) // alignment * alignment)


cdef inline uint64_t address_of(const DLTensor* tensor) noexcept:
    return <uint64_t><uintptr_t>tensor.data + tensor.byte_offset


include "xla_handler.pxi"

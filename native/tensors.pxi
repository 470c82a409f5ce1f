# torch's tensors: the parts of dlpack.h (version 1) that are used, reading them, and products of them. Included by
# tilewright_native.pyx.

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


cdef class Reader:
    """Reads torch's tensors. Made with torch.Tensor, torch.nn.Parameter, torch.is_grad_enabled, and what torch keeps of its
    forward mode and of its modes that see operators: within a level of the first, any tensor may have a tangent, and
    within one of the others, torch's operators are to be called.
    """

    cdef Exchange* exchange
    cdef object plain, weight, grad_enabled
    cdef dict forward_mode, dispatch_modes

    def __cinit__(self, plain, weight, grad_enabled, dict forward_mode not None, dict dispatch_modes not None):
        self.plain, self.weight, self.grad_enabled = plain, weight, grad_enabled
        self.forward_mode, self.dispatch_modes = forward_mode, dispatch_modes
        self.is_in_a_mode()  # a KeyError for a torch that keeps them elsewhere
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
        if self.is_in_a_mode():
            return -1
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

    cdef bint is_in_a_mode(self) except -1:
        if self.forward_mode["_current_level"] != -1:
            return True
        return self.dispatch_modes["_is_in_torch_dispatch_mode"] is not False

    cdef uint64_t address(self, tensor) except? 1:
        cdef DLTensor found
        self.exchange.tensor_of(<void*>tensor, &found)
        return address_of(&found)


cdef class Product:
    """A product whose plan is ready, called with torch's tensors.

    ``empty`` makes tensors of `result`'s and `working`'s arguments, which is None where no working memory is needed.
    ``spans``, ``out_span`` and ``c_operand_lies_as_out`` are those of tilewright.call.repeated_product.RepeatedProduct.
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
    cdef bint c_operand_lies_as_out

    def __cinit__(
        self, Reader reader, Launches launches, empty, tuple result, tuple working, int device, tuple spans,
        tuple out_span, bint c_operand_lies_as_out,
    ):
        self.reader, self.launches, self.empty = reader, launches, empty
        self.result, self.working = result, working
        self.device, self.span_count = device, len(spans)
        for index, span in enumerate(spans):
            self.inputs[index], self.before[index], self.behind[index] = span
        self.out_before, self.out_behind = out_span
        self.c_operand_lies_as_out = c_operand_lies_as_out

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
                    if input == 2 and self.c_operand_lies_as_out and <uint64_t>start == to:
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


cdef inline uint64_t address_of(const DLTensor* tensor) noexcept:
    return <uint64_t><uintptr_t>tensor.data + tensor.byte_offset

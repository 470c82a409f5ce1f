# A plan's launches: the parts of cuda.h that are used, and the packing. Included by tilewright_native.pyx.

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

    cdef int encoded(self, Map* map, uint64_t address) noexcept:
        return self.encode(
            self.template + map.place, map.dtype, map.rank, <void*>(address + map.more), map.sizes, map.strides,
            map.box, map.steps, map.interleave, map.swizzle, map.promotion, map.fill,
        )

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
        cdef bint pushed = False
        for index in range(self.pointer_count):
            slots[index] = places[self.buffer_of[index]] + self.further[index]
        for index in range(self.map_count):
            map = &self.maps[index]
            address = places[map.buffer]
            if address != map.address:
                map.address = 0
                status = self.encoded(map, address)
                if status == 201:  # CUDA_ERROR_INVALID_CONTEXT
                    # In a thread that has used no GPU yet the driver asks for a context for some types.
                    context = NULL
                    self.current(&context)
                    if context != self.context and self.push(self.context) == 0:
                        status = self.encoded(map, address)
                        self.pop(&context)
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
                pushed = status == 0
            for index in range(self.launch_count):
                if status == 0:
                    configuration = self.configurations[index]
                    configuration.stream = stream
                    failed[0] = index
                    status = self.launch(&configuration, self.functions[index], parameters + self.first[index], NULL)
            if pushed:
                self.pop(&context)
        return status


cdef inline uint8_t* aligned(uint8_t* memory) noexcept:
    return <uint8_t*>((<uintptr_t>memory + alignment - 1) // alignment * alignment)

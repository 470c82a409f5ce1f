# A plan's launches as a custom call of XLA, which is how jax.jit calls them: the parts of xla/ffi/api/c_api.h (0.3) that
# are used, and the handler. Included by tilewright_native.pyx.

cdef enum:
    metadata_extension = 1
    execute_stage = 3
    invalid_argument = 3
    internal_error = 13
    names_limit = 16

ctypedef struct Extension:
    size_t struct_size
    int kind
    void* next

ctypedef struct ApiVersion:
    size_t struct_size
    void* extension
    int major
    int minor

ctypedef struct ErrorArguments:
    size_t struct_size
    void* extension
    const char* message
    int code

ctypedef struct StreamArguments:
    size_t struct_size
    void* extension
    void* context
    void* stream

ctypedef struct OrdinalArguments:
    size_t struct_size
    void* extension
    void* context
    int32_t ordinal

ctypedef struct Api:
    size_t struct_size
    void* extension
    ApiVersion version
    void* internal
    void* (*create_error)(ErrorArguments*) noexcept
    void* unused[3]
    void* (*stream_of)(StreamArguments*) noexcept
    void* unused_either[12]
    void* (*ordinal_of)(OrdinalArguments*) noexcept  # in jaxlib 0.10 and later, whose struct_size says so

ctypedef struct Buffers:
    size_t struct_size
    void* extension
    int64_t size
    int* kinds
    XlaBuffer** given

ctypedef struct XlaBuffer:
    size_t struct_size
    void* extension
    int dtype
    void* data
    int64_t rank
    int64_t* extents

ctypedef struct Name:
    const char* text
    size_t size

ctypedef struct Scalar:
    int dtype
    void* value

ctypedef struct Attributes:
    size_t struct_size
    void* extension
    int64_t size
    int* kinds
    Name** names
    Scalar** values

ctypedef struct CallFrame:
    size_t struct_size
    Extension* extension
    Api* api
    void* context
    int stage
    Buffers arguments
    Buffers results
    Attributes attributes
    void* future

ctypedef struct Metadata:
    size_t struct_size
    ApiVersion version
    uint32_t traits
    int64_t state_type

ctypedef struct MetadataExtension:
    Extension base
    Metadata* metadata


cdef class Programs:
    """A product for each GPU that XLA calls it on: the launches on one, and ``make``, which gives those on another.

    ordinal: the GPU of the first launches, and of all where XLA does not say on which one it calls.
    """

    cdef dict launches
    cdef object make
    cdef int ordinal

    def __cinit__(self, int ordinal, Launches launches not None, make):
        self.ordinal, self.make, self.launches = ordinal, make, {ordinal: launches}

    cdef Launches on(self, int ordinal):
        if ordinal not in self.launches:
            self.launches[ordinal] = self.make(ordinal)
        return self.launches[ordinal]


cdef void* refusal(CallFrame* frame, const char* message, int code) noexcept:
    cdef ErrorArguments arguments
    arguments.struct_size, arguments.extension = sizeof(ErrorArguments), NULL
    arguments.message, arguments.code = message, code
    return frame.api.create_error(&arguments)


cdef int64_t number(const Attributes* attributes, const char* name, size_t size) noexcept:
    """The attribute of that name, which is a whole number of 64 bits; 0 where there is none."""
    cdef int64_t index
    for index in range(attributes.size):
        if attributes.names[index].size == size and memcmp(attributes.names[index].text, name, size) == 0:
            return (<int64_t*>attributes.values[index].value)[0]
    return 0


cdef void* launch_for_xla(CallFrame* frame) noexcept with gil:
    """Run the `Programs` at the address `programs` on XLA's GPU and stream.

    The attribute `places` says in four bits each, lowest first, which buffer of a plan each argument and then each
    result is; `on_stream` is 0 where XLA has no streams.
    """
    cdef uint64_t[names_limit] places
    cdef StreamArguments of_stream
    cdef OrdinalArguments of_ordinal
    cdef Programs programs
    cdef Launches launches
    cdef Metadata* metadata
    cdef XlaBuffer* buffer
    cdef void* error
    cdef int64_t order, index
    cdef int status, failed = 0
    if frame.extension is not NULL and frame.extension.kind == metadata_extension:
        metadata = (<MetadataExtension*>frame.extension).metadata
        metadata.version.struct_size, metadata.version.extension = sizeof(ApiVersion), NULL
        metadata.version.major, metadata.version.minor = 0, 3
        if frame.api is not NULL and frame.api.version.major == 0:  # what is used here is in all of them
            metadata.version.minor = frame.api.version.minor
        metadata.traits = 0
        return NULL
    if frame.stage != execute_stage or frame.arguments.size + frame.results.size > names_limit:
        return refusal(frame, "tilewright was called at another stage, or with other buffers, than it knows", 3)
    for index in range(names_limit):
        places[index] = 0
    order = number(&frame.attributes, "places", 6)
    for index in range(frame.arguments.size + frame.results.size):
        if index < frame.arguments.size:
            buffer = frame.arguments.given[index]
        else:
            buffer = frame.results.given[index - frame.arguments.size]
        if <uintptr_t>buffer.data % 16:
            return refusal(frame, "tilewright was given memory that is not aligned to 16 bytes", invalid_argument)
        places[(order >> (4 * index)) & 15] = <uint64_t><uintptr_t>buffer.data
    of_stream.struct_size, of_stream.extension = sizeof(StreamArguments), NULL
    of_stream.context, of_stream.stream = frame.context, NULL
    if number(&frame.attributes, "on_stream", 9):
        error = frame.api.stream_of(&of_stream)
        if error is not NULL:
            return error
    programs = <Programs><object><PyObject*><uintptr_t>number(&frame.attributes, "programs", 8)
    of_ordinal.struct_size, of_ordinal.extension = sizeof(OrdinalArguments), NULL
    of_ordinal.context, of_ordinal.ordinal = frame.context, programs.ordinal
    if frame.api.struct_size >= sizeof(Api):
        error = frame.api.ordinal_of(&of_ordinal)
        if error is not NULL:
            return error
    try:
        launches = programs.on(of_ordinal.ordinal)
    except Exception as refused:
        message = f"{type(refused).__name__}: {refused}".encode()
        return refusal(frame, message, internal_error)
    status = launches.go(places, of_stream.stream, &failed)
    if status:
        message = f"tilewright's launch {failed} was refused by the driver with CUDA error {status}".encode()
        return refusal(frame, message, internal_error)
    return NULL


XLA_HANDLER = <uintptr_t><void*>launch_for_xla
"""The address of the handler that XLA calls."""

"""Numbers of the instructions that are more than arithmetic, and of their kinds.

Vector operations (arithmetic/table.py) have the numbers from 0 on; these follow.
"""

from __future__ import annotations

from tilewright.emulate.arithmetic.table import TABLE

(
    LOAD_GLOBAL,
    LOAD_SHARED,
    STORE_SHARED,
    STORE_GLOBAL,
    LOAD_LOCAL,
    STORE_LOCAL,
    LOAD_CONSTANT,
    LOAD_GENERIC,
    STORE_GENERIC,
    JOIN,
    BRANCH,
    BARRIER,
    EXIT,
    SCALAR,
    SPECIAL,
    ATOMIC,
    WARP_SYNC,
    CALL,
    CALL_INDIRECT,
    RETURN,
    BRANCH_TABLE,
    LOCAL_ADDRESS,
    PRINT,
    ASSERT,
    TRAP,
    NOTHING,
    UNSUPPORTED,
    SPACE_TEST,
    FENCE,
    ASYNC_COPY,
    COPY_COMMIT,
    COPY_WAIT,
    LOAD_MATRIX,
    MULTIPLY_MATRICES,
    STORE_MATRIX,
    MULTIPLY_FLOAT64,
    WARPGROUP_MULTIPLY,
    WARPGROUP_COMMIT,
    WARPGROUP_WAIT,
    WARPGROUP_FENCE,
    CLUSTER,
    MBARRIER,
    BULK_COPY,
    BULK_GROUP,
    HALF_ATOMIC,
    TURN_MATRIX,
) = range(len(TABLE), len(TABLE) + 46)
LAST = TURN_MATRIX
LAST_MEMORY = STORE_GENERIC

# KIND of a memory instruction.
BYTES_MASK = 15  # bytes of one element: 1, 2, 4, 8
VECTOR_SHIFT, VECTOR_MASK = 4, 7  # elements per thread: 1, 2, 4
SIGNED, WIDE, FAST, FRAME_RELATIVE = 1 << 7, 1 << 8, 1 << 9, 1 << 10
ONLY_COUNTED = 1 << 11  # what it moves feeds no count (ptx/slice.py): addresses are checked and counted alone

# ORDER of an access, an atomic or a fence: what it promises to other threads, and to which.
STRONG, ACQUIRES, RELEASES = 1, 2, 4
SCOPE_SHIFT = 4
SCOPE_BLOCK, SCOPE_GPU, SCOPE_SYSTEM = range(3)

# KIND of a fence, and OPERATION of an event of ordering: a fence between threads, between the generic and the
# asynchronous proxy, or of another kind; waits for and triggers of other launches. The others are told of alone.
(ORDER_THREADS, ORDER_PROXIES, ORDER_INIT, ORDER_OTHER, ORDER_GRID_WAIT, ORDER_GRID_LAUNCH) = range(6)
(ORDER_CLUSTER_ARRIVE, ORDER_CLUSTER_WAIT, ORDER_GROUP_CLOSE, ORDER_GROUP_WAIT) = range(6, 10)

# KIND of a barrier.
(BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR) = range(5)

# KIND of a special register that differs between warps or lanes; the others are constants of the launch.
SPECIAL_REGISTERS = (
    "tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z", "laneid", "warpid", "smid",
    "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
    "clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "activemask",
    "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "clusterid.x", "clusterid.y", "clusterid.z",
    "cluster_ctarank",
)  # fmt: skip
SPECIAL_NUMBER = {name: number for number, name in enumerate(SPECIAL_REGISTERS)}
LAUNCH_CONSTANTS = {
    "ntid.x": 0, "ntid.y": 1, "ntid.z": 2, "nctaid.x": 3, "nctaid.y": 4, "nctaid.z": 5,
    "nwarpid": 6, "dynamic_smem_size": 7, "total_smem_size": 8, "nsmid": 9, "gridid": 10,
    "aggr_smem_size": 11, "cluster_nctaid.x": 12, "cluster_nctaid.y": 13, "cluster_nctaid.z": 14,
    "nclusterid.x": 15, "nclusterid.y": 16, "nclusterid.z": 17, "cluster_nctarank": 18, "is_explicit_cluster": 19,
    "envreg1": 20, "envreg2": 21,  # the address of the memory with the barrier of the whole grid: high and low half
}  # fmt: skip

RESERVED_SHARED_BYTES = 1024
"""Bytes at the start of a block's shared memory that system software takes on sm_90 (measured on an H200)."""
RESERVED_SHARED = {
    "reserved_smem_offset_begin": 0, "reserved_smem_offset_end": 288, "reserved_smem_offset_cap": RESERVED_SHARED_BYTES,
    "reserved_smem_offset_0": 0, "reserved_smem_offset_1": 0,
}  # fmt: skip

# KIND of an atomic: operation, then the element type, then the space.
ATOMIC_OPERATIONS = ("add", "min", "max", "exch", "cas", "inc", "dec", "and", "or", "xor")
ATOMIC_TYPES = ("u32", "s32", "u64", "s64", "f32", "f64", "f16", "bf16", "u16", "f16x2", "bf16x2")
FIRST_HALF_TYPE = 6  # from here on, and for the elements of vectors, HALF_ATOMIC
ATOMIC_SPACES = ("generic", "global", "shared")

# EXTRA_1 of an asynchronous copy: what its third operand says of how much is read.
(COPY_ALL, COPY_SIZED, COPY_UNLESS) = range(3)

# KIND of a product of matrices: the elements of A and of B, the sums, and MATRIX_*.
ELEMENT_KINDS = ("f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8")
ELEMENT_BYTES = (2, 2, 4, 1, 1, 1, 1)
FLOAT64_PRODUCTS = ((8, 4), (16, 4), (16, 8), (16, 16))
"""Rows of A and inner indices of the products in float64, whose KIND is a place in here."""
FLOAT64_SLOTS = 20
"""Of a product in float64 in a table: 4 targets, 4 sums, 8 registers of A, 4 of B at most."""
SUM_KINDS = ("f32", "f16", "s32", "s32.satfinite")
KIND_OF_B_SHIFT, KIND_OF_SUM_SHIFT = 4, 8
MATRIX_SHORT = 1 << 12  # 16 bytes of the inner index instead of 32
MATRIX_A_IN_REGISTERS, MATRIX_A_TURNED, MATRIX_B_TURNED, MATRIX_NEGATED = 1 << 13, 1 << 14, 1 << 15, 1 << 16
MATRIX_EIGHT_ROWS = 1 << 17  # the other 8 of the 16 are zeros, and count as no work
MATRIX_BITS = (1 << 18) - 1
MATRIX_ONLY_COUNTED = 1 << 18  # of a wgmma in a slice (ptx/slice.py)


def is_matrix_kind(kind: int) -> bool:
    """Say whether a KIND names elements and sums that there are."""
    of_a, of_b, of_sum = kind & 15, (kind >> KIND_OF_B_SHIFT) & 15, (kind >> KIND_OF_SUM_SHIFT) & 15
    are_elements = max(of_a, of_b) < len(ELEMENT_KINDS) and ELEMENT_BYTES[of_a] == ELEMENT_BYTES[of_b]
    return 0 <= kind <= MATRIX_BITS and are_elements and of_sum < len(SUM_KINDS)


def matrix_slots(kind: int) -> tuple[int, int, int]:
    """Return how many registers of the sums, of A and of B a product of 16 rows has in a table."""
    is_packed, is_short = (kind >> KIND_OF_SUM_SHIFT) & 15 == SUM_KINDS.index("f16"), kind & MATRIX_SHORT
    return 2 if is_packed else 4, 2 if is_short else 4, 1 if is_short else 2


# KIND of a test of an address's space: a window (0 global, 1 shared, 2 local), or what lies among global addresses.
CONSTANT_SPACE, PARAMETER_SPACE = 3, 4

# KIND of a warp-synchronous instruction.
WARP_OPERATIONS = (
    "shfl.up", "shfl.down", "shfl.bfly", "shfl.idx",
    "vote.all", "vote.any", "vote.uni", "vote.ballot",
    "match.any", "match.all", "barrier", "elect",
    "redux.add.s32", "redux.add.u32", "redux.min.s32", "redux.min.u32", "redux.max.s32", "redux.max.u32",
    "redux.and.b32", "redux.or.b32", "redux.xor.b32",
)  # fmt: skip
WARP_NUMBER = {name: number for number, name in enumerate(WARP_OPERATIONS)}

# KIND of an instruction of clusters.
CLUSTER_OPERATIONS = ("mapa", "getctarank", "arrive", "wait")
(CLUSTER_MAP, CLUSTER_RANK, CLUSTER_ARRIVE, CLUSTER_WAIT) = range(4)

# KIND of an operation of an mbarrier; a test looks at the phase of a state, or of a parity.
MBARRIER_OPERATIONS = (
    "init", "inval", "expect_tx", "complete_tx", "arrive", "arrive_drop", "arrive.expect_tx", "arrive_drop.expect_tx",
    "arrive.noComplete", "arrive_drop.noComplete", "test_wait", "test_wait.parity", "try_wait", "try_wait.parity",
    "pending_count", "cp.async",
)  # fmt: skip
MBARRIER_NUMBER = {name: number for number, name in enumerate(MBARRIER_OPERATIONS)}

# KIND of a copy in bulk: dimensions of its box (0: a line of bytes, or a thread's values), where it goes, and what it
# does there.
BULK_DIMENSIONS, BULK_VALUES, BULK_WAY_SHIFT, BULK_MULTICAST, BULK_IN_GROUP = 7, 8, 4, 1 << 6, 1 << 7
BULK_REDUCTION_SHIFT, BULK_TYPE_SHIFT = 8, 12  # an operation of ATOMIC_OPERATIONS plus 1, and one of BULK_TYPES
(BULK_TO_SHARED, BULK_BETWEEN_SHARED, BULK_TO_GLOBAL, BULK_PREFETCH) = range(4)
BULK_TYPES = ATOMIC_TYPES[:8]
(BULK_TARGET, BULK_SOURCE, BULK_SIZE, BULK_BARRIER, BULK_MASK, BULK_COORDINATES) = range(6)
BULK_SLOTS = BULK_COORDINATES + 5  # in a table

# Addresses: global ones lie below the shared window; a window's number is its address shifted right by this much.
WINDOW_SHIFT = 44
SHARED_WINDOW, LOCAL_WINDOW = 1 << WINDOW_SHIFT, 2 << WINDOW_SHIFT
CLUSTER_SHIFT = 24
"""Of an address in shared memory: above these bits 0 for the block's own, else a rank in its cluster plus 1."""
FIRST_GLOBAL_ADDRESS = 1 << 36
PARAMETERS_ADDRESS = SHARED_WINDOW - (1 << 20)
FUNCTION_ADDRESS = 3 << WINDOW_SHIFT

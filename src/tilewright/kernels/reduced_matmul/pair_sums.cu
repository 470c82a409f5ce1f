// The sums of neighbouring rows of A and of neighbouring columns of B, so that a matrix product remains.
//
// Shapes: A (m, k) gives sums (m/2, k), B (k, n) gives sums (k, n/2); batches; any strides, also 0 and negative, any
//   base. The sums lie in the workspace as dense lines of `to_line_stride` elements, a multiple of 16 bytes; what
//   follows `inner` in a line is never read. A line is what was contiguous: k of A row-major, columns of B row-major.
// The idea: C needs k (m + n)/2 pair sums and m n k/4 products, so a sum is used in many products. Each is made once
//   here, in one pass over A and B at the memory's bandwidth, and the product is then one of half the sides.
// Seeds:  003 (section 4.3.1: add first, multiply once); it adds once per thread, tiled.cu once per block.
// New:    a sum is made once per product. 16-bit elements are added in float32 and rounded once, others in their type.
// Next:   matmul's kernels multiply the sums: wgmma.cu, mma_sync.cu, cuda_cores_float32.cu, mma_sync_float64.cu.
// Launch: 256 threads a block; 2^lanes_log2 threads share a line, a thread makes a vector of 16 bytes in each of
//   LINES_AT_ONCE lines. Operand i takes blocks_i blocks, those of B after those of A.
//
// Macros: ELEMENT; LINES_AT_ONCE lines per thread are in flight together; SHIFTED: 0 where all vectors of operands that
//   have a contiguous dimension begin on 16 bytes and are whole.
// Parameters: for A and B: from, to, and Pairs, whose `blocks` are 0 where there is nothing to add. The batches are
//   counted as batch_2 * batches_1 + batch_1, and lie densely in `to`.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef LINES_AT_ONCE
#define LINES_AT_ONCE 4
#endif
#ifndef SHIFTED
#define SHIFTED 1
#endif
#include "device/memory/any_vector.cuh"
#include "device/memory/pair_vectors.cuh"

constexpr int THREADS = 256;

// What the host passes of an operand. Steps count elements of what is read: from a line of sums to the next, from an
// element to the one that is added to it, and from a sum to the next of its line.
struct Pairs {
    int lines, inner;
    long long line_step, pair_step, inner_step;
    int to_line_stride, batches_1;
    long long batch_step_1, batch_step_2;
    int lanes_log2, parts, blocks;
};

// A vector on its way, and how it is loaded: at once, or with its neighbour.
#if SHIFTED
using Loaded = VectorPair;
__device__ __forceinline__ Loaded load(const ELEMENT* at, int inside, const ELEMENT* begin, const ELEMENT* end)
{
    return load_pair(at, inside, begin, end);
}
__device__ __forceinline__ uint4 arrived(const Loaded& pair, const ELEMENT* at) { return vector_of(pair, at); }
#else
using Loaded = uint4;
__device__ __forceinline__ Loaded load(const ELEMENT* at, int, const ELEMENT*, const ELEMENT*)
{
    return __ldg(reinterpret_cast<const uint4*>(at));
}
__device__ __forceinline__ uint4 arrived(const Loaded& vector, const ELEMENT*) { return vector; }
#endif

__device__ __forceinline__ void add_pairs(const ELEMENT* from, ELEMENT* to, const Pairs& pairs, int block)
{
    // Find the part of a line and the first of the lines that belong to this thread.
    int lanes = 1 << pairs.lanes_log2;
    int lines_of_block = THREADS >> pairs.lanes_log2;
    int groups = (pairs.lines + LINES_AT_ONCE * lines_of_block - 1) / (LINES_AT_ONCE * lines_of_block);
    int part = block % pairs.parts, group = block / pairs.parts % groups, batch = block / pairs.parts / groups;
    int first_line = group * LINES_AT_ONCE * lines_of_block + (threadIdx.x >> pairs.lanes_log2);
    int first = (part * lanes + (threadIdx.x & (lanes - 1))) * VECTOR;
    int inside = pairs.inner - first;
    if (inside <= 0)
        return;

    from += batch % pairs.batches_1 * pairs.batch_step_1 + batch / pairs.batches_1 * pairs.batch_step_2;
    to += static_cast<long long>(batch) * pairs.lines * pairs.to_line_stride;

    bool beside = pairs.pair_step == 1 && pairs.inner_step == 2;
    if (beside || pairs.inner_step == 1) {
        // The matrix's own memory, outside of which nothing is read.
        long long last_line = (pairs.lines - 1) * pairs.line_step;
        const ELEMENT* begin = from + min(0ll, last_line) + min(0ll, pairs.pair_step);
        const ELEMENT* end = from + max(0ll, last_line) + max(0ll, pairs.pair_step)
                           + (pairs.inner - 1) * pairs.inner_step + 1;
        // Two vectors hold what a vector of sums is made of; load those of all lines, then add.
        long long second = beside ? VECTOR : pairs.pair_step;
        int insides[2] = {beside ? 2 * inside : inside, beside ? 2 * inside - VECTOR : inside};
        from += first * pairs.inner_step;
        Loaded loaded[LINES_AT_ONCE][2];
#pragma unroll
        for (int i = 0; i < LINES_AT_ONCE; ++i) {
            int line = first_line + i * lines_of_block;
            if (line < pairs.lines) {
                const ELEMENT* at = from + line * pairs.line_step;
                loaded[i][0] = load(at, insides[0], begin, end);
                loaded[i][1] = load(at + second, insides[1], begin, end);
            }
        }
#pragma unroll
        for (int i = 0; i < LINES_AT_ONCE; ++i) {
            int line = first_line + i * lines_of_block;
            if (line < pairs.lines) {
                const ELEMENT* at = from + line * pairs.line_step;
                ELEMENT* sums = to + static_cast<long long>(line) * pairs.to_line_stride + first;
                *reinterpret_cast<uint4*>(sums) =
                    sums_of(arrived(loaded[i][0], at), arrived(loaded[i][1], at + second), beside);
            }
        }
        return;
    }
    // No dimension is contiguous: element by element.
    for (int i = 0; i < LINES_AT_ONCE; ++i) {
        int line = first_line + i * lines_of_block;
        if (line < pairs.lines)
            for (int j = first; j < min(first + VECTOR, pairs.inner); ++j) {
                const ELEMENT* at = from + line * pairs.line_step + j * pairs.inner_step;
                add(to[static_cast<long long>(line) * pairs.to_line_stride + j], at[0], at[pairs.pair_step]);
            }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    reduced_matmul_pair_sums(const ELEMENT* A, ELEMENT* sums_A, const __grid_constant__ Pairs pairs_A,
                             const ELEMENT* B, ELEMENT* sums_B, const __grid_constant__ Pairs pairs_B)
{
    wait_for_previous_kernel();
    int block = blockIdx.x;
    if (block < pairs_A.blocks)
        add_pairs(A, sums_A, pairs_A, block);
    else
        add_pairs(B, sums_B, pairs_B, block - pairs_A.blocks);
}

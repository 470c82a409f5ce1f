// The dot product at the speed of memory: one launch, any strides, batches, the same bits in every call.
//
// Shapes: A and B (k) of each of a batch of products give C (1); any k, strides and alignment.
// The idea: two numbers are loaded for one multiplication, so only the memory counts. Enough bytes must be under way:
//   every thread asks for 2 * LOADS vectors of 16 bytes before it uses the first. Then the threads of a block add their
//   sums (stage one), and the last block of a product adds those of the others (stage two), in the order of their
//   numbers, whoever was first. It can wait for them: blocks start in the order of their numbers.
// Launch: blocks of THREADS threads, of which each TEAM have a product; x of the grid counts products, y the blocks
//   that share one: together one wave of the chip.
// Seeds:  004 (its tiledDotProduct.cu leaves the second stage to the host), 000 (what a barrier orders: here, blocks).
// New:    stage two within the launch; vectors of 16 bytes; sums that lose nothing (device/dot/sums.cuh).
// Next:   nothing: it takes as long as the memory does.
//
// Macros: ELEMENT, OUTPUT (types of the vectors and of the result); THREADS; TEAM, how many of them share a product: a
//   power of two up to 32, or THREADS; ACROSS, whether neighbouring threads take neighbouring products, which is how to
//   read the columns of a matrix; LOADS, of 16 bytes from each vector at a time; BLOCKS_PER_SM, for how many there are
//   registers.

#ifndef ELEMENT
#define ELEMENT float
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef TEAM
#define TEAM THREADS
#endif
#ifndef ACROSS
#define ACROSS 0
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 2
#endif
#include "device/dot/handover.cuh"
#include "device/memory/vectors.cuh"

constexpr int WARP = 32, WARPS = THREADS / WARP, TEAMS = THREADS / TEAM;
constexpr bool SPLIT = TEAM == THREADS || ACROSS; // whether several blocks may share a product
constexpr int ELEMENT_BYTES = sizeof(ELEMENT);
constexpr int MOST_LOADS = 8;
constexpr int LINE_BYTES = 128; // of the cache

template <> struct VectorOf<1> {
    using Type = unsigned char;
};

// How one of the vectors of a product lies: strides in elements.
struct VectorStrides {
    long long element, batch_1, batch_2;
};

struct DotProducts {
    long long k;
    unsigned products, products_1;
    VectorStrides a, b, c;
};

// The part of a product that a team adds, and the thread's place in the team.
struct Share {
    int number, of, lane;
};

__device__ __forceinline__ unsigned past_boundary(const ELEMENT* at, unsigned bytes)
{
    return static_cast<unsigned>(reinterpret_cast<unsigned long long>(at)) % bytes;
}

// Add the products of two vectors of elements, which lie in registers. Two neighbours of 16 bits are one register.
template <class Vector> __device__ __forceinline__ void add_vector(RunningSum& sum, const Vector& x, const Vector& y)
{
    if constexpr (IS_FLOAT && ELEMENT_BYTES == 2 && sizeof(Vector) >= 4) {
        const unsigned *of_x = reinterpret_cast<const unsigned*>(&x), *of_y = reinterpret_cast<const unsigned*>(&y);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(Vector) / 4); ++i) {
            const float2 two_of_x = as_pair<ELEMENT>(of_x[i]), two_of_y = as_pair<ELEMENT>(of_y[i]);
            sum.add_product(two_of_x.x, two_of_y.x);
            sum.add_product(two_of_x.y, two_of_y.y);
        }
    } else {
        const ELEMENT* of_x = reinterpret_cast<const ELEMENT*>(&x);
        const ELEMENT* of_y = reinterpret_cast<const ELEMENT*>(&y);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(Vector)) / ELEMENT_BYTES; ++i)
            sum.add_product(as_sum(of_x[i]), as_sum(of_y[i]));
    }
}

// Add this thread's part of `count` vectors of each operand, which are aligned to their size. Teams take TEAM of them
// in turn, so that the chip reads neighbouring ones at a time.
template <class Vector>
__device__ __forceinline__ void add_vectors(RunningSum& sum, const Vector* a, long long a_stride, const Vector* b,
                                            long long b_stride, long long count, const Share& share)
{
    constexpr int NARROWER = VECTOR_BYTES / static_cast<int>(sizeof(Vector));
    constexpr int AT_ONCE = LOADS * NARROWER < MOST_LOADS ? LOADS * NARROWER : MOST_LOADS;
    const int turn = SPLIT ? TEAM * share.of : TEAM;
    long long at = share.number * TEAM + share.lane;
#pragma unroll 1
    for (; at < count; at += AT_ONCE * turn) {
        Vector x[AT_ONCE], y[AT_ONCE];

        // Ask for all of them before the first is used.
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            const long long here = at + i * turn;
            x[i] = y[i] = Vector{};
            if (here < count) {
                x[i] = __ldg(a + here * a_stride);
                y[i] = __ldg(b + here * b_stride);
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
            add_vector(sum, x[i], y[i]);
    }
}

// Add this thread's part of two contiguous vectors whose addresses are alike modulo BYTES. One by one go the elements
// before the first line of the cache that begins in A (of short ones: the first vector), and after the last vector.
template <int BYTES>
__device__ __forceinline__ void add_spans(RunningSum& sum, const ELEMENT* a, const ELEMENT* b, long long k,
                                          const Share& share)
{
    using Vector = typename VectorOf<BYTES>::Type;
    constexpr int ELEMENTS = BYTES / ELEMENT_BYTES; // of a vector
    constexpr int BOUNDARY = SPLIT ? LINE_BYTES : BYTES; // a short vector has no line to spare
    const int to_boundary = (BOUNDARY - past_boundary(a, BOUNDARY)) % BOUNDARY / ELEMENT_BYTES;
    const int head = to_boundary < k ? to_boundary : static_cast<int>(k);
    const long long vectors = (k - head) / ELEMENTS, inside = vectors * ELEMENTS;
    if (share.number == 0)
#pragma unroll 1
        for (int i = share.lane; i < k - inside; i += TEAM) {
            const long long at = i < head ? i : i + inside;
            sum.add_product(as_sum(a[at]), as_sum(b[at]));
        }
    const Vector *x = reinterpret_cast<const Vector*>(a + head), *y = reinterpret_cast<const Vector*>(b + head);
    add_vectors(sum, x, 1, y, 1, vectors, share);
}

// Add this thread's part of a product, in vectors as wide as the addresses of both operands allow.
__device__ __forceinline__ void add_share(RunningSum& sum, const ELEMENT* a, long long a_stride, const ELEMENT* b,
                                          long long b_stride, long long k, const Share& share)
{
    using Single = VectorOf<ELEMENT_BYTES>::Type;
    if constexpr (!ACROSS) {
        const unsigned apart = past_boundary(a, VECTOR_BYTES) ^ past_boundary(b, VECTOR_BYTES);
        const bool contiguous = a_stride == 1 && b_stride == 1;
        if (contiguous && apart == 0)
            return add_spans<16>(sum, a, b, k, share);
        if constexpr (ELEMENT_BYTES <= 4)
            if (contiguous && apart % 8 == 0)
                return add_spans<8>(sum, a, b, k, share);
        if constexpr (ELEMENT_BYTES <= 2)
            if (contiguous && apart % 4 == 0)
                return add_spans<4>(sum, a, b, k, share);
    }
    add_vectors(sum, reinterpret_cast<const Single*>(a), a_stride, reinterpret_cast<const Single*>(b), b_stride, k,
                share);
}

// The sum of a team's threads, for its first one; in a fixed order.
__device__ __forceinline__ RunningSum sum_of_team(RunningSum sum)
{
    if constexpr (ACROSS) {
        // A column of threads is a team: the first row adds the sums of the others.
        __shared__ RunningSum of_threads[THREADS];
        of_threads[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < TEAMS)
            for (int i = 1; i < TEAM; ++i)
                sum.add(of_threads[i * TEAMS + threadIdx.x]);
    } else {
#pragma unroll
        for (int distance = (TEAM < WARP ? TEAM : WARP) / 2; distance > 0; distance /= 2)
            sum.add(exchanged(sum, distance));
    }
    if constexpr (TEAM > WARP && !ACROSS) {
        __shared__ RunningSum of_warps[WARPS];
        const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        if (lane == 0)
            of_warps[warp] = sum;

        // Wait until the sums of all warps are there.
        __syncthreads();

        if (warp == 0) {
            sum = lane < WARPS ? of_warps[lane] : RunningSum{};
#pragma unroll
            for (int distance = WARPS / 2; distance > 0; distance /= 2)
                sum.add(exchanged(sum, distance));
        }
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    dot_two_stage(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, SealedSum* workspace,
                  const __grid_constant__ DotProducts product)
{
    const int team = ACROSS ? threadIdx.x % TEAMS : threadIdx.x / TEAM;
    const int lane = ACROSS ? threadIdx.x / TEAMS : threadIdx.x % TEAM;
    const Share share = {SPLIT ? static_cast<int>(blockIdx.y) : 0, SPLIT ? static_cast<int>(gridDim.y) : 1, lane};
    const unsigned index = blockIdx.x * TEAMS + team;
    const bool inside = index < product.products;
    unsigned batch_1 = index, batch_2 = 0;
    if (product.products_1 < product.products) {
        batch_2 = index / product.products_1;
        batch_1 = index - batch_2 * product.products_1;
    }

    wait_for_previous_kernel();
    RunningSum sum{};
    if (inside)
        add_share(sum, A + batch_1 * product.a.batch_1 + batch_2 * product.a.batch_2, product.a.element,
                  B + batch_1 * product.b.batch_1 + batch_2 * product.b.batch_2, product.b.element, product.k, share);

    if constexpr (SPLIT) {
        // Stage one ends: leave the block's sum. Stage two: the last block takes them all beside what it has itself.
        const int others = share.of - 1;
        SealedSum* places = workspace + index * static_cast<long long>(others);
        if (share.number < others) {
            sum = sum_of_team(sum);
            if (inside && lane == 0)
                leave_sum(places + share.number, sum);
            return;
        }
        if (inside)
            for (int i = lane; i < others; i += TEAM)
                sum.add(take_sum(places + i));
    }
    sum = sum_of_team(sum);
    if (inside && lane == 0)
        store_sum(C + batch_1 * product.c.batch_1 + batch_2 * product.c.batch_2, sum.value());
}

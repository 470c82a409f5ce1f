// The dot product at the speed of memory: one launch, any strides, batches, the same bits in every call.
//
// Shapes: A and B (k) of each of a batch of products give C (1); any k, strides and alignment.
// The idea: two numbers are loaded for one multiplication, so only the memory counts. Enough bytes must be under way:
//   every thread asks for 2 * LOADS vectors of 16 bytes, of a tile, before it uses the first. Then the threads of a
//   block add their sums (stage one), and the last block of a product, which reads nothing else, adds those of the
//   others (stage two), in the order of their numbers, whoever was first. It can wait for them: blocks start in the
//   order of their numbers. SMs are not equally fast, so the last tiles have blocks of their own, which start where an
//   SM is done.
// Launch: blocks of THREADS threads, of which each TEAM have a product; x of the grid counts products, y the blocks
//   that share one.
// Seeds:  004 (its tiledDotProduct.cu leaves the second stage to the host), 000 (what a barrier orders: here, blocks).
// New:    stage two within the launch; vectors of 16 bytes; sums that lose nothing (device/dot/sums.cuh).
// Next:   nothing: it takes as long as the memory does.
//
// Macros: ELEMENT, OUTPUT (types of the vectors and of the result); THREADS; TEAM, how many of them share a product: a
//   power of two up to 32, or THREADS; ACROSS, whether neighbouring threads take neighbouring products, which is how to
//   read the columns of a matrix; LOADS, of 16 bytes from each vector at a time; BLOCKS_PER_SM, for how many there are
//   registers; PLAIN, 1 where there is one product of contiguous vectors that begin on 16 bytes: then the other ways to
//   read are left out.

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
#ifndef PLAIN
#define PLAIN 0
#endif
#include "device/dot/handover.cuh"
#include "device/memory/vectors.cuh"

constexpr int WARP = 32, WARPS = THREADS / WARP, TEAMS = THREADS / TEAM;
constexpr bool SPLIT = TEAM == THREADS || ACROSS; // whether several blocks may share a product
constexpr bool IS_STREAM = SPLIT && !ACROSS; // whether each line of the cache is read once, by one load
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

// The first `wave` blocks of a product take a tile in each of `rounds`, the blocks after them one tile each.
struct DotProducts {
    long long k;
    unsigned products, products_1;
    int wave, rounds;
    VectorStrides a, b, c;
};

// The part of a product that a team adds, and the thread's place in the team.
struct Share {
    int number, of, wave, rounds, lane;
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

// Load this thread's vectors of a tile, TEAM apart, those that are among the next `left`.
template <int AT_ONCE, class Vector>
__device__ __forceinline__ void load_tile(Vector (&to)[AT_ONCE], const Vector* from, long long stride, int left)
{
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i)
        if (i * TEAM < left)
            to[i] = IS_STREAM ? __ldcs(from + i * TEAM * stride) : __ldg(from + i * TEAM * stride);
}

// Add this thread's part of `count` vectors of each operand, which are aligned to their size, tile after tile of its
// share. All vectors of a tile are asked for before the first is used.
template <class Vector>
__device__ __forceinline__ void add_vectors(RunningSum& sum, const Vector* a, long long a_stride, const Vector* b,
                                            long long b_stride, long long count, const Share& share)
{
    constexpr int NARROWER = VECTOR_BYTES / static_cast<int>(sizeof(Vector));
    constexpr int AT_ONCE = LOADS * NARROWER < MOST_LOADS ? LOADS * NARROWER : MOST_LOADS;
    constexpr int TILE = AT_ONCE * TEAM;
    const long long of_wave = static_cast<long long>(share.wave) * share.rounds;
    const bool in_wave = !SPLIT || share.number < share.wave;
    const long long first = (in_wave ? share.number : of_wave + share.number - share.wave) * TILE + share.lane;
    const long long end = in_wave && of_wave * TILE < count ? of_wave * TILE : count;
    const int jump = (in_wave ? share.wave : share.of - share.wave) * TILE;
    a += first * a_stride;
    b += first * b_stride;
#pragma unroll 1
    for (long long left = end - first; left > 0; left -= jump, a += jump * a_stride, b += jump * b_stride) {
        Vector x[AT_ONCE] = {}, y[AT_ONCE] = {};
        const int inside = left < TILE ? static_cast<int>(left) : TILE;
        load_tile(x, a, a_stride, inside);
        load_tile(y, b, b_stride, inside);
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
    if constexpr (PLAIN) {
        constexpr int ELEMENTS = VECTOR_BYTES / ELEMENT_BYTES;
        const long long vectors = k / ELEMENTS, rest = vectors * ELEMENTS + share.lane;
        add_vectors(sum, reinterpret_cast<const uint4*>(a), 1, reinterpret_cast<const uint4*>(b), 1, vectors, share);
        if (share.number == 0 && rest < k)
            sum.add_product(as_sum(a[rest]), as_sum(b[rest]));
        return;
    }
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

// The sum of so many neighbouring lanes of a warp, a power of two. Not unrolled: instructions that were not run before
// come from memory, and of a short launch that is a part which one can see.
__device__ __forceinline__ RunningSum sum_of_lanes(RunningSum sum, int lanes)
{
#pragma unroll 1
    for (int distance = lanes / 2; distance > 0; distance /= 2)
        sum.add(exchanged(sum, distance));
    return sum;
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
    } else
        sum = sum_of_lanes(sum, TEAM < WARP ? TEAM : WARP);
    if constexpr (TEAM > WARP && !ACROSS) {
        __shared__ RunningSum of_warps[WARPS];
        const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        if (lane == 0)
            of_warps[warp] = sum;

        // Wait until the sums of all warps are there.
        __syncthreads();

        if (warp == 0)
            sum = sum_of_lanes(lane < WARPS ? of_warps[lane] : RunningSum{}, WARPS);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    dot_two_stage(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, SealedSum* workspace,
                  const __grid_constant__ DotProducts product)
{
    const int team = ACROSS ? threadIdx.x % TEAMS : threadIdx.x / TEAM;
    const int lane = ACROSS ? threadIdx.x / TEAMS : threadIdx.x % TEAM;
    const bool hands_over = SPLIT && gridDim.y > 1;
    const int adding = hands_over ? static_cast<int>(gridDim.y) - 1 : 1; // blocks that multiply
    const Share share = {SPLIT ? static_cast<int>(blockIdx.y) : 0, adding, product.wave, product.rounds, lane};
    const bool is_last = hands_over && share.number == adding;
    const unsigned index = PLAIN ? 0 : blockIdx.x * TEAMS + team;
    const bool inside = PLAIN || index < product.products;
    unsigned batch_1 = index, batch_2 = 0;
    if (!PLAIN && product.products_1 < product.products) {
        batch_2 = index / product.products_1;
        batch_1 = index - batch_2 * product.products_1;
    }

    wait_for_previous_kernel();
    RunningSum sum{};
    if (inside && !is_last)
        add_share(sum, A + batch_1 * product.a.batch_1 + batch_2 * product.a.batch_2, product.a.element,
                  B + batch_1 * product.b.batch_1 + batch_2 * product.b.batch_2, product.b.element, product.k, share);

    // Stage one ends: blocks leave their sums. Stage two: the last block takes them all. At first it adds zeros, which
    // brings the instructions that it needs at the end.
    SealedSum* places = workspace + index * static_cast<long long>(adding);
#pragma unroll 1
    for (bool is_whole = !is_last;; is_whole = true) {
        sum = sum_of_team(sum);
        if (is_whole)
            break;

        // Wait until nobody reads the zeros in shared memory.
        __syncthreads();
        if (inside)
            for (int i = lane; i < adding; i += TEAM)
                sum.add(take_sum(places + i));
    }
    if (!inside || lane > 0)
        return;
    if (hands_over && !is_last)
        leave_sum(places + share.number, sum);
    else
        store_sum(C + batch_1 * product.c.batch_1 + batch_2 * product.c.batch_2, sum.value());
}

// A matrix times a vector, in 16-bit types, at the speed at which memory brings the matrix, wherever its rows begin.
//
// Shapes: A (m, k) times b (k) gives c (m), any m and k from 1 up, up to two batch extents; rows of A are contiguous.
//         (A row times a matrix is the transposed product.)
// The idea: each number of A is used once, so nothing is gained by a tile in shared memory, or by tensor cores that
//         multiply seven columns of zeros. A thread loads vectors of 16 bytes from any address, and as many at once as
//         keep memory busy.
// Launch: 32 WARPS threads, which share k of ROWS rows of A; blockIdx.x is the block's place along m, blockIdx.z in the
//         batch.
// Seeds:  000 (guards), 004 (a sum for each thread, then one for all of them).
// New:    vectors cut out of two aligned ones: an odd stride costs loads, not bytes.
// Next:   mma_direct.cu, for a few vectors at once.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; B_VECTORS (1: b is
// contiguous); WARPS; ROWS.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#ifndef WARPS
#define WARPS 8
#define B_VECTORS 1
#define ROWS 4
#endif
#include "device/memory/any_vector.cuh"

constexpr int THREADS = 32 * WARPS;
constexpr int VECTOR = VECTOR_BYTES / 2;

struct VectorProduct {
    int m, k;
    long long batches_1;
    Strides a, b, c;
};

// A vector's elements as float32.
struct Floats {
    float at[VECTOR];

    __device__ __forceinline__ explicit Floats(const uint4& vector)
    {
        const ELEMENT* elements = reinterpret_cast<const ELEMENT*>(&vector);
#pragma unroll
        for (int i = 0; i < VECTOR; ++i)
            at[i] = as_sum(elements[i]);
    }
};

// The elements of a vector that exist, and zeros: what lies behind a row's end may be anything, also NaN.
__device__ __forceinline__ uint4 first_of(uint4 vector, int inside)
{
    if (inside >= VECTOR)
        return vector;
    unsigned* words = reinterpret_cast<unsigned*>(&vector);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        words[i] &= inside >= 2 * i + 2 ? 0xFFFFFFFF : inside == 2 * i + 1 ? 0xFFFF : 0;
    return vector;
}

// The sum of all lanes, in every lane, in a fixed order.
__device__ __forceinline__ float over_lanes(float sum)
{
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
    return sum;
}

constexpr int AT_ONCE = ROWS >= 4 ? 1 : 4 / ROWS; // vectors of a row that a thread asks for together

// Multiply a thread's share of ROWS rows from `row` on.
__device__ __forceinline__ void multiply(const ELEMENT* a, const ELEMENT* b, const VectorProduct& product, int row,
                                         float (&sums)[ROWS])
{
    const int k = product.k, rows = min(product.m - row, ROWS);
    const long long last = (product.m - 1) * product.a.row;
    const ELEMENT *begin = a + min(0ll, last), *end = a + max(0ll, last) + k;
    a += row * product.a.row;
    for (int first = threadIdx.x * VECTOR; first < k; first += AT_ONCE * THREADS * VECTOR) {
        VectorPair loaded[AT_ONCE][ROWS] = {};
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            int at = first + i * THREADS * VECTOR;
#pragma unroll
            for (int j = 0; j < ROWS; ++j)
                if (at < k && j < rows)
                    loaded[i][j] = load_pair(a + j * product.a.row + at, k - at, begin, end);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            int at = first + i * THREADS * VECTOR, inside = k - at;
            if (inside <= 0)
                break;
#if B_VECTORS
            Floats factor(first_of(vector_of(load_pair(b + at, inside, b, b + k), b + at), inside));
#else
            Floats factor(uint4{});
#pragma unroll
            for (int element = 0; element < VECTOR; ++element)
                if (element < inside)
                    factor.at[element] = as_sum(b[(at + element) * product.b.row]);
#endif
#pragma unroll
            for (int j = 0; j < ROWS; ++j)
                if (j < rows) {
                    Floats of_a(first_of(vector_of(loaded[i][j], a + j * product.a.row + at), inside));
#pragma unroll
                    for (int element = 0; element < VECTOR; ++element)
                        sums[j] += of_a.at[element] * factor.at[element];
                }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_matrix_vector(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                         const BiasElement* bias, const __grid_constant__ VectorProduct product,
                         const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ float of_warps[WARPS][ROWS];
    const long long batch_2 = blockIdx.z / product.batches_1, batch_1 = blockIdx.z - batch_2 * product.batches_1;
    const int row = blockIdx.x * ROWS;
    wait_for_previous_kernel();
    float sums[ROWS] = {};
    multiply(matrix_at(A, product.a, batch_1, batch_2), matrix_at(B, product.b, batch_1, batch_2), product, row, sums);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        sums[j] = over_lanes(sums[j]);
        if (threadIdx.x % 32 == 0)
            of_warps[threadIdx.x / 32][j] = sums[j];
    }
    // The sums of all warps are there.
    __syncthreads();

    const int own = row + threadIdx.x;
    if (threadIdx.x < ROWS && own < product.m) {
        float sum = 0;
#pragma unroll
        for (int warp = 0; warp < WARPS; ++warp)
            sum += of_warps[warp][threadIdx.x];
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(batch_1, batch_2);
        OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2);
        round_into(c[own * product.c.row], epilogue(sum, own, 0));
    }
}

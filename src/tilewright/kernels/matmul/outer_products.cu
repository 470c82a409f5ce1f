// Products of float32 or float64 with a short k: C is a sum of few outer products, and hardly more than writing it.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n) with contiguous rows, k up to LONGEST; any strides of A and B, up to
//         two batch extents.
// The idea: a thread keeps its columns of B in registers for as long as it works, and walks down the rows. Of A, 32
//         rows at a time lie in shared memory, where all threads read the same number at once. Neighbouring threads
//         write neighbouring numbers of C, one each, wherever its rows begin.
// Launch: 32 x WARPS threads, each with THREAD_N columns, 32 apart; blockIdx.y is the place of `rows_per_block` rows,
//         blockIdx.z that in the batch.
// Seeds:  000 (barriers between loading and computing, guards).
// New:    no tile of B in shared memory: each of its numbers has one thread that needs it.
// Next:   cuda_cores_float32.cu and mma_sync_float64.cu, where k is long enough that multiplying takes the time.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are float or double; WARPS, THREAD_N; LONGEST, a
// multiple of 4.

#ifndef ELEMENT
#define ELEMENT float
#endif
#define OUTPUT ELEMENT
#define SUM ELEMENT
#define EXACT_ACTIVATION 1
#include "device/epilogue/epilogue.cuh"

#ifndef WARPS
#define WARPS 4
#define THREAD_N 4
#define LONGEST 8
#endif
#include "device/memory/operand.cuh"

constexpr int THREADS = 32 * WARPS;
constexpr int STAGED = 32; // rows of A in shared memory
constexpr int PER_THREAD = (STAGED * LONGEST + THREADS - 1) / THREADS;
constexpr int AT_ONCE = 16 / sizeof(ELEMENT); // numbers of A that a thread reads
static_assert(LONGEST % 4 == 0, "numbers of A are read 16 bytes at once");

// The numbers of STAGED rows of A on their way to shared memory, a few for each thread, with zeros outside.
struct Arriving {
    ELEMENT at[PER_THREAD];

    __device__ __forceinline__ void load(const ELEMENT* a, const StridedProduct& product, int row)
    {
#pragma unroll
        for (int i = 0; i < PER_THREAD; ++i) {
            int number = threadIdx.x + i * THREADS, y = row + number / LONGEST, k = number % LONGEST;
            bool inside = number < STAGED * LONGEST && y < product.m && k < product.k;
            at[i] = inside ? __ldg(a + y * product.a.row + k * product.a.column) : ELEMENT{};
        }
    }

    __device__ __forceinline__ void put(ELEMENT* staged) const
    {
#pragma unroll
        for (int i = 0; i < PER_THREAD; ++i)
            if (threadIdx.x + i * THREADS < STAGED * LONGEST)
                staged[threadIdx.x + i * THREADS] = at[i];
    }
};

struct alignas(16) SomeOfA {
    ELEMENT at[AT_ONCE];
};

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_outer_products(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                          const BiasElement* bias, const __grid_constant__ StridedProduct product,
                          const __grid_constant__ EpilogueScalars scalars, int rows_per_block)
{
    __shared__ __align__(16) ELEMENT staged[2][STAGED * LONGEST];
    const int m = product.m, n = product.n;
    const int column = blockIdx.x * THREADS * THREAD_N + threadIdx.x / 32 * 32 * THREAD_N + threadIdx.x % 32;
    const int first = blockIdx.y * rows_per_block, end = min(first + rows_per_block, m);
    const long long batch_2 = blockIdx.z / product.batches_1, batch_1 = blockIdx.z - batch_2 * product.batches_1;

    wait_for_previous_kernel();
    const ELEMENT* a = matrix_at(A, product.a, batch_1, batch_2);
    const ELEMENT* b = matrix_at(B, product.b, batch_1, batch_2) + column * product.b.column;
    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2) + first * product.c.row + column;

    Arriving arriving;
    arriving.load(a, product, first);
    // All of k, of the thread's columns.
    ELEMENT of_b[LONGEST][THREAD_N];
#pragma unroll
    for (int k = 0; k < LONGEST; ++k)
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j)
            of_b[k][j] = k < product.k && column + 32 * j < n
                             ? __ldg(b + k * product.b.row + 32 * j * product.b.column)
                             : ELEMENT{};

    int stage = 0;
    for (int row = first; row < end; row += STAGED, stage ^= 1) {
        arriving.put(staged[stage]);
        // Wait until the rows are there; the others are read no more since the barrier before.
        __syncthreads();
        // The next rows are on their way while these are multiplied.
        if (row + STAGED < end)
            arriving.load(a, product, row + STAGED);
        int rows = min(end - row, STAGED);
        for (int y = 0; y < rows; ++y, c += product.c.row) {
            ELEMENT sums[THREAD_N] = {};
#pragma unroll
            for (int k = 0; k < LONGEST; k += AT_ONCE) {
                SomeOfA some = *reinterpret_cast<const SomeOfA*>(staged[stage] + y * LONGEST + k);
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i)
#pragma unroll
                    for (int j = 0; j < THREAD_N; ++j)
                        sums[j] = fma(some.at[i], of_b[k + i][j], sums[j]);
            }
#pragma unroll
            for (int j = 0; j < THREAD_N; ++j)
                if (column + 32 * j < n)
                    round_into(c[32 * j], epilogue(sums[j], row + y, column + 32 * j));
        }
    }
}

// Products of 16-bit matrices on the CUDA cores, for chips and types without a tensor core: bfloat16 before sm_80.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: 256 threads; a line of blocks that take tiles of C in turn, as many as there are tiles or fewer.
// Seeds:  000 and 004 (tiles with guards), 001 (the tile as the unit of reuse).
// New:    the tile of C is larger than the block: a thread keeps 4 x 4 sums in registers, so that each value read from
//         shared memory is used four times; elements become float32 once, on their way into shared memory.
// Next:   mma_sync.cu gives the same tile to the tensor cores.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; A_K_MAJOR and B_K_MAJOR: 1
// where elements along k are neighbours in memory, which decides which threads load which elements and nothing else.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#define BLOCK_M 64
#define BLOCK_N 64
#define BLOCK_K 16
#include "device/memory/rasterization.cuh"

#ifndef A_K_MAJOR
#define A_K_MAJOR 1
#endif
#ifndef B_K_MAJOR
#define B_K_MAJOR 0
#endif

constexpr int THREADS = 256;
constexpr int SIDE = 4;

// Load a tile of 64 x 16 elements (lines x inner) as float32, inner index first; what lies outside is 0.
template <int INNER_FIRST>
__device__ __forceinline__ void load(float (*to)[BLOCK_M + 4], const ELEMENT* from, long long line_stride,
                                     long long inner_stride, int first_line, int lines, int first_inner, int inners)
{
    for (int element = threadIdx.x; element < BLOCK_M * BLOCK_K; element += THREADS) {
        int line = INNER_FIRST ? element / BLOCK_K : element % BLOCK_M;
        int inner = INNER_FIRST ? element % BLOCK_K : element / BLOCK_M;
        bool inside = first_line + line < lines && first_inner + inner < inners;
        long long place = (first_line + line) * line_stride + (first_inner + inner) * inner_stride;
        to[inner][line] = inside ? as_sum(from[place]) : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_cuda_cores_16bit(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                            const BiasElement* bias, const __grid_constant__ StridedProduct product,
                            const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ float tile_A[BLOCK_K][BLOCK_M + 4];
    __shared__ float tile_B[BLOCK_K][BLOCK_N + 4];
    const int m = product.m, n = product.n, k = product.k;
    int ty = threadIdx.x / (BLOCK_N / SIDE), tx = threadIdx.x % (BLOCK_N / SIDE);

    wait_for_previous_kernel();
    for (long long index = blockIdx.x; index < tiles_of<BLOCK_M, BLOCK_N>(m, n, product.batches); index += gridDim.x) {
        Tile tile = tile_at<BLOCK_M, BLOCK_N>(index, m, n, product.batches_1);
        const ELEMENT* a = matrix_at(A, product.a, tile.batch_1, tile.batch_2);
        const ELEMENT* b = matrix_at(B, product.b, tile.batch_1, tile.batch_2);

        float sums[SIDE][SIDE] = {};
        for (int first = 0; first < k; first += BLOCK_K) {
            load<A_K_MAJOR>(tile_A, a, product.a.row, product.a.column, tile.row, m, first, k);
            load<B_K_MAJOR>(tile_B, b, product.b.column, product.b.row, tile.column, n, first, k);
            // Wait until both tiles are complete.
            __syncthreads();

            for (int i = 0; i < BLOCK_K; ++i)
                for (int down = 0; down < SIDE; ++down)
                    for (int across = 0; across < SIDE; ++across)
                        sums[down][across] += tile_A[i][ty * SIDE + down] * tile_B[i][tx * SIDE + across];
            // Wait until nobody reads these tiles any more.
            __syncthreads();
        }

        OUTPUT* c = matrix_at(C, product.c, tile.batch_1, tile.batch_2);
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(tile.batch_1, tile.batch_2);
        for (int down = 0; down < SIDE; ++down)
            for (int across = 0; across < SIDE; ++across) {
                int row = tile.row + ty * SIDE + down, column = tile.column + tx * SIDE + across;
                if (row < m && column < n)
                    round_into(c[row * product.c.row + column * product.c.column],
                               epilogue(sums[down][across], row, column));
            }
    }
}

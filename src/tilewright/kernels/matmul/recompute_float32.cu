// The tiles of C whose sums of 16-bit parts may be wrong, computed again on the CUDA cores, as IEEE 754 asks for.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k, any strides, up to two batch extents.
// The idea: an infinity is no sum of finite parts, and numbers near the ends of float32's range lose some of theirs.
//   wgmma_split.cu leaves a word for each 16 rows of each of its tiles that says whether a sum there is suspect. This
//   launch always follows; almost always one word says that there is nothing to do. The host waits for nothing.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    which tiles there are to compute is known on the device alone.
// Next:   none.
// Launch: 256 threads; a line of blocks that look at tiles of 128 x 128 in turn.
//
// Macros: those of epilogue.cuh, of which SUM and OUTPUT are float; A_K_MAJOR and B_K_MAJOR: 1 where elements along k
// are neighbours in memory, which decides which threads load which elements and nothing else.

#define OUTPUT float
#define EXACT_ACTIVATION 1
#include "device/epilogue/epilogue.cuh"
#include "device/memory/rasterization.cuh"

#ifndef A_K_MAJOR
#define A_K_MAJOR 1
#endif
#ifndef B_K_MAJOR
#define B_K_MAJOR 0
#endif

constexpr int THREADS = 256;
constexpr int SIDE = 8;
constexpr int BLOCK = 16 * SIDE; // rows and columns of a tile: 16 x 16 threads
constexpr int BLOCK_K = 16;
constexpr int STRIP_ROWS = 16;

// The words of wgmma_split.cu, for each split of each product of the batch: `strips` of 16 rows each have `across`
// words, for `columns` columns each.
struct Suspects {
    int columns, across, strips, splits;
};

// Whether any word of a tile is set; all threads of the block ask together.
__device__ __forceinline__ bool has_suspects(const int* words, const Suspects& suspects, const Tile& tile, int m, int n,
                                             long long batch)
{
    int first_strip = tile.row / STRIP_ROWS, end_strip = (min(tile.row + BLOCK, m) + STRIP_ROWS - 1) / STRIP_ROWS;
    int first = tile.column / suspects.columns, end = (min(tile.column + BLOCK, n) - 1) / suspects.columns + 1;
    int strips = end_strip - first_strip, width = end - first, found = 0;
    for (int i = threadIdx.x; i < strips * width * suspects.splits; i += THREADS) {
        long long layer = batch * suspects.splits + i / (strips * width);
        long long strip = layer * suspects.strips + first_strip + i / width % strips;
        found |= words[strip * suspects.across + first + i % width];
    }
    return __syncthreads_or(found);
}

// Load a tile of 128 x 16 elements (lines x inner), inner index first; what lies outside is 0.
template <int INNER_FIRST>
__device__ __forceinline__ void load(float (*to)[BLOCK + 4], const float* from, long long line_stride,
                                     long long inner_stride, int first_line, int lines, int first_inner, int inners)
{
#pragma unroll
    for (int i = 0; i < BLOCK * BLOCK_K / THREADS; ++i) {
        int element = i * THREADS + threadIdx.x;
        int line = INNER_FIRST ? element / BLOCK_K : element % BLOCK;
        int inner = INNER_FIRST ? element % BLOCK_K : element / BLOCK;
        bool inside = first_line + line < lines && first_inner + inner < inners;
        long long place = (first_line + line) * line_stride + (first_inner + inner) * inner_stride;
        to[inner][line] = inside ? from[place] : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_recompute_float32(const float* A, const float* B, float* C, const COperandElement* c_operand,
                             const BiasElement* bias, const int* any_suspect, const int* words,
                             const __grid_constant__ Suspects suspects,
                             const __grid_constant__ StridedProduct product,
                             const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ __align__(16) float tile_A[BLOCK_K][BLOCK + 4];
    __shared__ __align__(16) float tile_B[BLOCK_K][BLOCK + 4];
    const int m = product.m, n = product.n, k = product.k;
    int ty = threadIdx.x / 16, tx = threadIdx.x % 16;

    wait_for_previous_kernel();
    if (*any_suspect == 0)
        return;
    for (long long index = blockIdx.x; index < tiles_of<BLOCK, BLOCK>(m, n, product.batches); index += gridDim.x) {
        Tile tile = tile_at<BLOCK, BLOCK>(index, m, n, product.batches_1);
        if (!has_suspects(words, suspects, tile, m, n, tile.batch_2 * product.batches_1 + tile.batch_1))
            continue;
        const float* a = matrix_at(A, product.a, tile.batch_1, tile.batch_2);
        const float* b = matrix_at(B, product.b, tile.batch_1, tile.batch_2);

        // A thread has every 16th row and column: neighbours read neighbours.
        float sums[SIDE][SIDE] = {};
        for (int first = 0; first < k; first += BLOCK_K) {
            load<A_K_MAJOR>(tile_A, a, product.a.row, product.a.column, tile.row, m, first, k);
            load<B_K_MAJOR>(tile_B, b, product.b.column, product.b.row, tile.column, n, first, k);
            // Wait until both tiles are complete.
            __syncthreads();

#pragma unroll
            for (int i = 0; i < BLOCK_K; ++i)
#pragma unroll
                for (int down = 0; down < SIDE; ++down)
#pragma unroll
                    for (int across = 0; across < SIDE; ++across)
                        sums[down][across] =
                            fmaf(tile_A[i][16 * down + ty], tile_B[i][16 * across + tx], sums[down][across]);
            // Wait until nobody reads these tiles any more.
            __syncthreads();
        }

        float* c = matrix_at(C, product.c, tile.batch_1, tile.batch_2);
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(tile.batch_1, tile.batch_2);
#pragma unroll
        for (int down = 0; down < SIDE; ++down)
#pragma unroll
            for (int across = 0; across < SIDE; ++across) {
                int row = tile.row + 16 * down + ty, column = tile.column + 16 * across + tx;
                if (row < m && column < n)
                    c[row * product.c.row + column * product.c.column] = epilogue(sums[down][across], row, column);
            }
    }
}

// Add the partial sums of a product whose inner dimension was split, always in the same order.
//
// Shapes: partial (splits, rows, columns) of SUM for each batch, row-major with rows of partial_row_stride sums
//   (a multiple of 4), gives C (m, n).
// The idea: a long inner dimension with a small C leaves most of the chip idle unless several blocks share a tile of C.
//   Atomic additions would join their sums in the order in which blocks happen to end, and the last bits would differ
//   from call to call. Here every partial sum has its place, and one order of addition gives the same bits every time.
// Seeds:  003 (sums shared among threads), 004 (the dot product's partial sums).
// New:    the order is fixed by where a sum lies, not by who comes first.
// Next:   none; it is the last launch of a product, and so it has the epilogue.
// Launch: 256 threads a block; thread groups of SPLIT_LANES share four columns of one row; enough blocks for all.
//
// Macros: OUTPUT; SPLIT_LANES (a power of two up to 32: how many threads share the splits of an element);
//   K_CLASSES (1: partial sums begin at other rows and columns in each class of splits, k_classes.cuh);
//   those of the epilogue (epilogue.cuh).
// Parameters: partial; C; c_operand and bias (epilogue.cuh); the sizes and strides of PartialSums; the scalars of the
//   epilogue.

#ifndef OUTPUT
#define OUTPUT float
#endif
#ifndef SPLIT_LANES
#define SPLIT_LANES 1
#endif
#include "device/epilogue/epilogue.cuh"
#include "device/sm90/k_classes.cuh"

constexpr int THREADS = 256;
constexpr int COLUMN_GROUPS = THREADS / SPLIT_LANES;

struct alignas(16) FourSums {
    Sum x, y, z, w;
};

// C is m x n in each of `batches`; strides of the partial sums count them. C begins at row and column 0 of the partial
// sums, or in class i of splits at i times the shifts, modulo 8.
struct PartialSums {
    int splits, row_stride, row_shift, column_shift;
    long long split_stride, batch_stride;
    int m, n, batches_1, batches;
    Strides c;
};

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_splitk_reduce(const Sum* partial, OUTPUT* C, const COperandElement* c_operand, const BiasElement* bias,
                      const __grid_constant__ PartialSums product, const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ FourSums shared_sums[SPLIT_LANES][COLUMN_GROUPS];
    wait_for_previous_kernel();

    int group = threadIdx.x % COLUMN_GROUPS;
    int split_lane = threadIdx.x / COLUMN_GROUPS;
    int groups_of_row = (product.n + 3) / 4;
    long long index = static_cast<long long>(blockIdx.x) * COLUMN_GROUPS + group;
    int column = static_cast<int>(index % groups_of_row) * 4;
    long long line = index / groups_of_row;
    int row = static_cast<int>(line % product.m);
    int batch = static_cast<int>(line / product.m);
    bool inside = batch < product.batches;

    FourSums sum = {0, 0, 0, 0};
    if (inside) {
        const Sum* at =
            partial + batch * product.batch_stride + static_cast<long long>(row) * product.row_stride + column;
#pragma unroll 8
        for (int split = split_lane; split < product.splits; split += SPLIT_LANES) {
            FourSums part;
            if constexpr (K_CLASSES) {
                int row_shift = split * product.row_shift % CLASSES_OF_K;
                int column_shift = split * product.column_shift % CLASSES_OF_K;
                const Sum* from = at + split * product.split_stride + row_shift * product.row_stride + column_shift;
                part = {from[0], from[1], from[2], from[3]};
            } else {
                part = *reinterpret_cast<const FourSums*>(at + split * product.split_stride);
            }
            sum.x += part.x;
            sum.y += part.y;
            sum.z += part.z;
            sum.w += part.w;
        }
    }
    if constexpr (SPLIT_LANES > 1) {
        shared_sums[split_lane][group] = sum;
        __syncthreads();
        if (split_lane > 0)
            return;
        // All at once they would take the registers of blocks that load.
#pragma unroll 4
        for (int i = 1; i < SPLIT_LANES; ++i) {
            FourSums part = shared_sums[i][group];
            sum.x += part.x;
            sum.y += part.y;
            sum.z += part.z;
            sum.w += part.w;
        }
    }
    if (!inside)
        return;

    int batch_1 = batch % product.batches_1, batch_2 = batch / product.batches_1;
    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* to = matrix_at(C, product.c, batch_1, batch_2) + row * product.c.row;
    const Sum sums[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (column + i < product.n)
            round_into(to[(column + i) * product.c.column], epilogue(sums[i], row, column + i));
}

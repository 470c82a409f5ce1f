// Add the partial sums of a product whose inner dimension was split, always in the same order.
//
// Shapes: partial (splits, rows, columns) in float32 for each batch, row-major with rows of partial_row_stride floats
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
//   those of the epilogue (epilogue.cuh).
// Parameters: partial, splits, split_stride, batch_stride (floats), partial_row_stride; m, n, batches_1, batches;
//   C and its strides (row, column, the two batches); then those of the epilogue.

#include "device/epilogue/epilogue.cuh"
#include "device/sm90/barrier.cuh"

constexpr int COLUMN_GROUPS = 256 / SPLIT_LANES;

extern "C" __global__ void __launch_bounds__(256)
    matmul_sum_splits(const float* partial, int splits, long long split_stride, long long batch_stride,
                      int partial_row_stride, int m, int n, int batches_1, int batches, OUTPUT* c,
                      long long c_row_stride, long long c_column_stride, long long c_batch_stride_1,
                      long long c_batch_stride_2 EPILOGUE_PARAMETERS)
{
    __shared__ float4 shared_sums[SPLIT_LANES][COLUMN_GROUPS];
    wait_for_previous_kernel();

    int group = threadIdx.x % COLUMN_GROUPS;
    int split_lane = threadIdx.x / COLUMN_GROUPS;
    int groups_of_row = (n + 3) / 4;
    long long index = static_cast<long long>(blockIdx.x) * COLUMN_GROUPS + group;
    int column = static_cast<int>(index % groups_of_row) * 4;
    long long line = index / groups_of_row;
    int row = static_cast<int>(line % m);
    int batch = static_cast<int>(line / m);
    bool inside = batch < batches;

    float4 sum = make_float4(0, 0, 0, 0);
    if (inside) {
        const float* at =
            partial + batch * batch_stride + static_cast<long long>(row) * partial_row_stride + column;
#pragma unroll 8
        for (int split = split_lane; split < splits; split += SPLIT_LANES) {
            float4 part = *reinterpret_cast<const float4*>(at + split * split_stride);
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
        for (int i = 1; i < SPLIT_LANES; ++i) {
            float4 part = shared_sums[i][group];
            sum.x += part.x;
            sum.y += part.y;
            sum.z += part.z;
            sum.w += part.w;
        }
    }
    if (!inside)
        return;

    int batch_1 = batch % batches_1, batch_2 = batch / batches_1;
    Epilogue epilogue = EPILOGUE_ARGUMENTS;
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* to = c + batch_1 * c_batch_stride_1 + batch_2 * c_batch_stride_2 + row * c_row_stride;
    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (column + i < n)
            round_into(to[(column + i) * c_column_stride], epilogue(sums[i], row, column + i));
}

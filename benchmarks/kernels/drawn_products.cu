// Products without shared memory. Macros: BX, BY: the block; FAMILY_*: which kernel; the others where they stand.

#if defined(FAMILY_NAIVE)
// One element per thread. X_IS_ROW: neighboring threads take neighboring rows. A block of the grid's z takes a part
// of the sum, and writes it into a slice of its own.
extern "C" __global__ void drawn_naive(OPERANDS) {
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
#if defined(X_IS_ROW)
    int row = x, column = y;
#else
    int row = y, column = x;
#endif
    int part = (k + gridDim.z - 1) / gridDim.z, first = blockIdx.z * part;
    if (row < m && column < n) {
        Sum sum = 0;
        for (int step = first; step < min(first + part, k); ++step)
            sum += value(A_AT(row, step)) * value(B_AT(step, column));
        C[(blockIdx.z * m + row) * ldc + column] = stored(sum);
    }
}
#endif

#if defined(FAMILY_OUTPUTS)
// R x S elements per thread, a block's width apart (SPREAD) or side by side.
extern "C" __global__ void drawn_outputs(OPERANDS) {
    Sum sums[R][S] = {};
#if defined(SPREAD)
#define ROW_OF(r) (int)(blockIdx.y * BY * R + r * BY + threadIdx.y)
#define COLUMN_OF(s) (int)(blockIdx.x * BX * S + s * BX + threadIdx.x)
#else
#define ROW_OF(r) (int)((blockIdx.y * BY + threadIdx.y) * R + r)
#define COLUMN_OF(s) (int)((blockIdx.x * BX + threadIdx.x) * S + s)
#endif
    for (int step = 0; step < k; ++step)
        for (int r = 0; r < R; ++r)
            for (int s = 0; s < S; ++s)
                if (ROW_OF(r) < m && COLUMN_OF(s) < n)
                    sums[r][s] += value(A_AT(ROW_OF(r), step)) * value(B_AT(step, COLUMN_OF(s)));
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < S; ++s)
            if (ROW_OF(r) < m && COLUMN_OF(s) < n) C[ROW_OF(r) * ldc + COLUMN_OF(s)] = stored(sums[r][s]);
}
#endif

#if defined(FAMILY_WARP_ROWS)
// A warp per row of C; its lanes go over the columns.
extern "C" __global__ void drawn_warp_rows(OPERANDS) {
    int row = (blockIdx.x * BX + threadIdx.x) / 32;
    if (row < m)
        for (int column = threadIdx.x % 32; column < n; column += 32) {
            Sum sum = 0;
            for (int step = 0; step < k; ++step) sum += value(A_AT(row, step)) * value(B_AT(step, column));
            C[row * ldc + column] = stored(sum);
        }
}
#endif

#if defined(FAMILY_WARP_ELEMENTS)
// A warp per element of C; its lanes share the sum.
extern "C" __global__ void drawn_warp_elements(OPERANDS) {
    int column = blockIdx.y, row = (blockIdx.x * BX + threadIdx.x) / 32;
    if (row >= m) return;
    Sum sum = 0;
    for (int step = threadIdx.x % 32; step < k; step += 32) sum += value(A_AT(row, step)) * value(B_AT(step, column));
    for (int distance = 16; distance; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0) C[row * ldc + column] = stored(sum);
}
#endif

#if defined(FAMILY_REDUCED)
// The reduced product: sums of two rows of A times sums of two columns of B, an element of C per thread.
extern "C" __global__ void drawn_reduced(OPERANDS) {
    int column = blockIdx.x * BX + threadIdx.x, row = blockIdx.y * BY + threadIdx.y;
    if (row < m / 2 && column < n / 2) {
        Sum sum = 0;
        for (int step = 0; step < k; ++step)
            sum += (value(A_AT(2 * row, step)) + value(A_AT(2 * row + 1, step))) *
                   (value(B_AT(step, 2 * column)) + value(B_AT(step, 2 * column + 1)));
        C[row * ldc + column] = stored(sum);
    }
}
#endif

#if defined(FAMILY_COLUMNS)
// Products of the columns of A with each other; B is A.
extern "C" __global__ void drawn_columns(OPERANDS) {
    int column = blockIdx.x * BX + threadIdx.x, row = blockIdx.y * BY + threadIdx.y;
    if (row < n && column < n) {
        Sum sum = 0;
        for (int step = 0; step < k; ++step) sum += value(B[step * ldb + row]) * value(B[step * ldb + column]);
        C[row * ldc + column] = stored(sum);
    }
}
#endif

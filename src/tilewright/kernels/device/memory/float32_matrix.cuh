// A float32 matrix of any strides, read once by a grid: a block takes 64 x 64 elements, a thread four of each of four
// rows.
//
// `inner` is the dimension that is contiguous, if one is. Where rows begin on 16 bytes a load is a vector; else it is
// four, which meet again in the L1 cache. The product calls one dimension k and the other mn: m of A, n of B.
#pragma once

constexpr int REGION = 64;
constexpr int NEIGHBOURS = 4;   // along inner, of a thread
constexpr int ROWS_AT_ONCE = 4; // of a thread, in flight together
constexpr int THREADS = REGION / NEIGHBOURS * (REGION / ROWS_AT_ONCE);
constexpr int ROW_STEP = THREADS / (REGION / NEIGHBOURS); // between a thread's rows

// What the host passes of a matrix. Strides count elements. `batches_1` is the extent of the inner batch dimension;
// broadcast batches count once.
struct Matrix {
    int rows, inner;
    long long row_stride, inner_stride;
    int to_row_stride, batches_1;
    long long batch_stride_1, batch_stride_2;
    int inner_is_k, in_vectors, blocks;

    __device__ __forceinline__ int mn() const { return inner_is_k ? rows : inner; }
    __device__ __forceinline__ int k() const { return inner_is_k ? inner : rows; }
};

struct Four {
    float at[NEIGHBOURS];
};

// How a block loads: what lies inside as vectors or one by one, or what may lie outside, with a guard for each element.
enum Loading { VECTORS, ELEMENTS, GUARDED };

// Of `rows` x `columns` elements from (row, column) on.
__device__ __forceinline__ Loading loading_of(const Matrix& matrix, int row, int column, int rows, int columns)
{
    bool is_inside = row + rows <= matrix.rows && column + columns <= matrix.inner;
    return !is_inside ? GUARDED : matrix.in_vectors ? VECTORS : ELEMENTS;
}

// Elements `column` to `column` + 3 of a row, as far as they exist; then 0.
template <Loading LOADING>
__device__ __forceinline__ Four load_four(const float* matrix_at, const Matrix& matrix, int row, int column)
{
    Four four = {};
    const float* from = matrix_at + row * matrix.row_stride + column * matrix.inner_stride;
    if constexpr (LOADING == VECTORS) {
        float4 vector = __ldg(reinterpret_cast<const float4*>(from));
        four = {vector.x, vector.y, vector.z, vector.w};
    } else {
#pragma unroll
        for (int i = 0; i < NEIGHBOURS; ++i)
            if (LOADING == ELEMENTS || (row < matrix.rows && column + i < matrix.inner))
                four.at[i] = __ldg(from + i * matrix.inner_stride);
    }
    return four;
}

// The same of several rows, `step` apart.
template <Loading LOADING, int ROWS>
__device__ __forceinline__ void load_rows_as(Four (&fours)[ROWS], const float* matrix_at, const Matrix& matrix, int row,
                                             int step, int column)
{
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
        fours[i] = load_four<LOADING>(matrix_at, matrix, row + i * step, column);
}

// How to load is asked once, before the first load: then none waits for a branch. (NVRTC 13.0 takes no generic lambda.)
template <int ROWS>
__device__ __forceinline__ void load_rows(Loading loading, Four (&fours)[ROWS], const float* matrix_at,
                                          const Matrix& matrix, int row, int step, int column)
{
    if (loading == VECTORS)
        load_rows_as<VECTORS>(fours, matrix_at, matrix, row, step, column);
    else if (loading == ELEMENTS)
        load_rows_as<ELEMENTS>(fours, matrix_at, matrix, row, step, column);
    else
        load_rows_as<GUARDED>(fours, matrix_at, matrix, row, step, column);
}

__device__ __forceinline__ const float* matrix_of_batch(const float* from, const Matrix& matrix, int batch)
{
    return from + batch % matrix.batches_1 * matrix.batch_stride_1 + batch / matrix.batches_1 * matrix.batch_stride_2;
}

// Split float32 matrices into 16-bit parts, which the tensor cores multiply: x = high + middle + low.
//
// Shapes: one or two matrices (A and B of one product) of `rows` x `inner` float32 elements, in batches; any strides,
//   any base. Each becomes PARTS planes of 16-bit elements for each matrix of the batch, dense, with rows of
//   `to_row_stride` elements, a multiple of 8; what follows `inner` in a row is never read.
// The idea: a float32 has 24 significant bits, a bfloat16 has 8 and the same range of exponents. So the nearest
//   bfloat16, the nearest one to what is left, and what is left then are the number itself: 3 x 8 bits (bf16x6). A
//   float16 has 11: two of them hold 22 bits, of numbers in a narrow range (fp16x3). So each row of A and column of B
//   is scaled by a power of two that brings its largest number below 2^15, and the low part is kept 2^11 larger.
// Seeds:  000 (tiles and their guards): TMA writes 0 for what lies outside of the planes.
// New:    the nearest part leaves a rest of either sign: products of rests, which are left out, cancel on average. Cut
//         off instead of rounded, parts would all be too small, and so would every sum.
// Next:   wgmma_split.cu multiplies the parts.
// Launch: THREADS threads; a block for each 64 x 64 elements of each matrix, the second after the first.
//
// Macros: ELEMENT (__nv_bfloat16: three parts; __half: two).
// Parameters: for each of the two: from; to; flags, a word for each 64 of mn and 64 of k (split_flags.cuh);
//   largest, the exponents that largest_exponents.cu found, and exponents, which receives those of the scales (fp16x3);
//   Matrix, whose `blocks` are 0 where there is no such matrix. any_suspect becomes 0 before wgmma_split.cu sets it.

#ifndef ELEMENT
#define ELEMENT __nv_bfloat16
#endif
#include "device/memory/float32_matrix.cuh"
#include "device/memory/operand.cuh"
#include "device/memory/split_flags.cuh"

template <typename T> constexpr int PARTS_OF = 3;
template <> constexpr int PARTS_OF<__half> = 2;
constexpr int PARTS = PARTS_OF<ELEMENT>;
constexpr float LOW_PART_SCALE = 2048; // of a float16's low part: its 11 bits follow the high one's

struct Parts {
    float at[PARTS]; // the largest first, each a 16-bit number
};

__device__ __forceinline__ Parts parts_of(float x)
{
    Parts parts;
    float high = as_sum(static_cast<ELEMENT>(x));
    parts.at[0] = high;
    if constexpr (PARTS == 3) {
        float rest = x - high;
        parts.at[1] = as_sum(static_cast<ELEMENT>(rest));
        parts.at[2] = rest - parts.at[1];
    } else {
        parts.at[1] = (x - high) * LOW_PART_SCALE;
    }
    return parts;
}

// x times two to the power of `exponent`, -113 to 141: in two steps, since the larger powers are no float32.
__device__ __forceinline__ float scaled(float x, int exponent)
{
    constexpr int EXPONENT_BIAS = 127, EXPONENT_BIT = 23;
    int half = exponent / 2;
    return x * __int_as_float(EXPONENT_BIAS + half << EXPONENT_BIT) *
           __int_as_float(EXPONENT_BIAS + exponent - half << EXPONENT_BIT);
}

__device__ __forceinline__ void split(const float* from, ELEMENT* to, int* flags, const unsigned char* largest,
                                      int* exponents, const Matrix& matrix, int block)
{
    int across = (matrix.inner + REGION - 1) / REGION, down = (matrix.rows + REGION - 1) / REGION;
    int batch = block / (across * down), place = block % (across * down);
    int region_row = place / across, region_column = place % across;
    int region_mn = matrix.inner_is_k ? region_row : region_column;
    int region_k = matrix.inner_is_k ? region_column : region_row;
    int row = region_row * REGION + threadIdx.x / (REGION / NEIGHBOURS);
    int column = region_column * REGION + threadIdx.x % (REGION / NEIGHBOURS) * NEIGHBOURS;

    from = matrix_of_batch(from, matrix, batch);
    Four fours[ROWS_AT_ONCE];
    load_rows(loading_of(matrix, region_row * REGION, region_column * REGION, REGION, REGION), fours, from, matrix, row,
              ROW_STEP, column);

    // Scale, and say what the parts do not hold.
    int found = 0;
    if constexpr (PARTS == 2) {
        __shared__ int scale_exponents[REGION];
        if (threadIdx.x < REGION) {
            int mn = region_mn * REGION + threadIdx.x;
            int exponent = mn < matrix.mn() ? scale_exponent(largest, matrix.mn(), matrix.k(), batch, mn) : 0;
            scale_exponents[threadIdx.x] = exponent;
            if (region_k == 0 && mn < matrix.mn())
                exponents[static_cast<long long>(batch) * matrix.mn() + mn] = -exponent;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
#pragma unroll
            for (int j = 0; j < NEIGHBOURS; ++j) {
                int mn = matrix.inner_is_k ? row + i * ROW_STEP : column + j;
                float before = fours[i].at[j];
                fours[i].at[j] = scaled(before, scale_exponents[mn % REGION]);
                found += spans_of_float16(before, fours[i].at[j]);
            }
    } else {
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
#pragma unroll
            for (int j = 0; j < NEIGHBOURS; ++j)
                found |= flags_of_bfloat16(fours[i].at[j]);
    }

    long long plane_elements = static_cast<long long>(matrix.rows) * matrix.to_row_stride;
    to += batch * PARTS * plane_elements;
#pragma unroll
    for (int i = 0; i < ROWS_AT_ONCE; ++i) {
        if (row + i * ROW_STEP >= matrix.rows || column >= matrix.inner)
            continue;
        Parts parts[NEIGHBOURS];
#pragma unroll
        for (int j = 0; j < NEIGHBOURS; ++j)
            parts[j] = parts_of(fours[i].at[j]);
        ELEMENT* at = to + static_cast<long long>(row + i * ROW_STEP) * matrix.to_row_stride + column;
#pragma unroll
        for (int part = 0; part < PARTS; ++part)
            *reinterpret_cast<uint2*>(at + part * plane_elements) =
                make_uint2(packed(ELEMENT(), parts[0].at[part], parts[1].at[part]),
                           packed(ELEMENT(), parts[2].at[part], parts[3].at[part]));
    }

    // One word for the region: which flags any of its elements has, or how many have too few bits.
    __shared__ int flags_of_warps[THREADS / 32];
    int of_warp = joined_by_warp<PARTS>(found);
    if (threadIdx.x % 32 == 0)
        flags_of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < THREADS / 32; ++warp)
            of_warp = joined<PARTS>(of_warp, flags_of_warps[warp]);
        *flag_at(flags, matrix.mn(), matrix.k(), batch, region_mn, region_k) = of_warp;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_split_float32(const float* from_1, ELEMENT* to_1, int* flags_1, const unsigned char* largest_1,
                         int* exponents_1, const __grid_constant__ Matrix matrix_1, const float* from_2, ELEMENT* to_2,
                         int* flags_2, const unsigned char* largest_2, int* exponents_2,
                         const __grid_constant__ Matrix matrix_2, int* any_suspect)
{
    wait_for_previous_kernel();
    // Backwards: what largest_exponents.cu has read last is still in the L2 cache.
    int block = gridDim.x - 1 - blockIdx.x;
    if (block == 0 && threadIdx.x == 0)
        *any_suspect = 0;
    if (block < matrix_1.blocks)
        split(from_1, to_1, flags_1, largest_1, exponents_1, matrix_1, block);
    else
        split(from_2, to_2, flags_2, largest_2, exponents_2, matrix_2, block - matrix_1.blocks);
}

// From sums to a C whose columns are contiguous: what a transposed product stores, which is C^T to the caller.
//
// Columns pass through shared memory as lines of 128 bytes, swizzled, in chunks of CHUNK_COLUMNS columns. In 16 bits a
// column of 64 results is a line: matrices of eight by eight results are transposed on their way in (stmatrix.trans).
// In float32 it is two lines: lanes write their results one by one, each of a warp into another bank.
//   BY_COLUMN_BOXES  the copy engine stores a chunk as a box for each line: C must suit it.
//   BY_COLUMNS       threads store each column of float32, 32 results side by side: any base and distance of columns.
#pragma once

constexpr int LINE_ROWS = SWIZZLE_BYTES / static_cast<int>(sizeof(OUTPUT)); // results of a column in a line
static_assert(STORE == BY_COLUMN_BOXES || sizeof(OUTPUT) == sizeof(float), "threads store results of 32 bits");
static_assert(sizeof(OUTPUT) == sizeof(float) || CHUNK_COLUMNS >= 16, "stmatrix stores 16 columns");

// Where the result in row `row` of 64 and column `column` of COLUMNS lies: those of LINE_ROWS rows first.
template <int COLUMNS> __device__ __forceinline__ int place_in_chunk(int row, int column)
{
    int bytes = column * SWIZZLE_BYTES + row % LINE_ROWS * static_cast<int>(sizeof(OUTPUT));
    return row / LINE_ROWS * COLUMNS * SWIZZLE_BYTES + swizzled<SWIZZLE_BYTES>(bytes);
}

// 64 x COLUMNS of the results, those of a chunk, from registers to shared memory.
template <int COLUMNS, typename Stored>
__device__ __forceinline__ void write_chunk(unsigned char* staged, const ResultsOf<Stored>& results, int chunk,
                                            int thread)
{
    unsigned base = shared_address(staged);
    int warp = thread / 32, lane = thread % 32;
    if constexpr (sizeof(Stored) == 2) {
        // Each lane says where eight rows of a column go; there are four matrices, of 16 rows by 16 columns.
        int row = warp * 16 + lane / 8 % 2 * 8, column = lane / 16 * 8 + lane % 8;
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 16) {
            const unsigned* pairs = results.value + (chunk * CHUNK_COLUMNS + j) / 4;
            unsigned to = base + place_in_chunk<COLUMNS>(row, column + j);
            if (j + 8 < COLUMNS)
                store_transposed(to, pairs[0], pairs[1], pairs[2], pairs[3]);
            else
                store_two_transposed(to, pairs[0], pairs[1]);
        }
    } else {
        int row = warp * 16 + lane / 4, column = lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < COLUMNS / 2; ++i) {
            int to = place_in_chunk<COLUMNS>(row + i / 2 % 2 * 8, column + i / 4 * 8 + i % 2);
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(base + to), "f"(results.at(chunk * CHUNK_COLUMNS / 2 + i))
                         : "memory");
        }
    }
}

#if STORE == BY_COLUMN_BOXES
// A chunk from shared memory to C, by one thread.
template <int COLUMNS>
__device__ __forceinline__ void store_chunk(const TensorMap& map, const unsigned char* staged, TileAt at, int first,
                                            int chunk)
{
    int row = at.row + first, column = at.column + chunk * CHUNK_COLUMNS;
#pragma unroll
    for (int line = 0; line < WARPGROUP_ROWS / LINE_ROWS; ++line)
        store_box<BATCHED>(map, staged + line * COLUMNS * SWIZZLE_BYTES,
                           {row + line * LINE_ROWS, column, at.batch_1, at.batch_2});
}

#else
// Rows `first` to `first` + 63 of a tile to C, by threads: the two chunks of `staging` take turns, so one barrier for
// each is enough.
__device__ __forceinline__ void store_tile(Output& out, const Results& results, TileAt at, int first, int thread)
{
    float* c = matrix_at(out.c, out.strides, at.batch_1, at.batch_2);
    int row = at.row + first, warp = thread / 32, lane = thread % 32;
#pragma unroll
    for (int chunk = 0; chunk < BLOCK_N / CHUNK_COLUMNS; ++chunk) {
        unsigned char* staged = out.staging + chunk % 2 * CHUNK_BYTES;
        write_chunk<CHUNK_COLUMNS>(staged, results, chunk, thread);
        warps_sync(out.warps_id, WARPGROUP_THREADS);
        unsigned from = shared_address(staged);
#pragma unroll
        for (int i = 0; i < CHUNK_COLUMNS / WARPS_OF_WARPGROUP; ++i) {
            int of_chunk = i * WARPS_OF_WARPGROUP + warp, column = at.column + chunk * CHUNK_COLUMNS + of_chunk;
#pragma unroll
            for (int r = lane; r < WARPGROUP_ROWS; r += 32)
                if (row + r < out.m && column < out.n)
                    copy_element(c + row + r + column * out.strides.column,
                                 from + place_in_chunk<CHUNK_COLUMNS>(r, of_chunk));
        }
    }
    if (BLOCK_N / CHUNK_COLUMNS % 2)
        warps_sync(out.warps_id, WARPGROUP_THREADS);
}
#endif

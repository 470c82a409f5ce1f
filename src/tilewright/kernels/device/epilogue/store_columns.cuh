// From float32 sums to a C whose columns are contiguous: what a transposed product stores, which is C^T to the caller.
//
// A column of 64 results is 256 bytes of C. They pass through shared memory as two lines of 128 bytes, swizzled, in
// chunks of CHUNK_COLUMNS columns; lanes write their results one by one, each of a warp into another bank.
//   BY_COLUMN_BOXES  the copy engine stores a chunk as two boxes: C must suit it.
//   BY_COLUMNS       threads store each column, 32 results side by side: any base and distance of columns.
#pragma once

constexpr int LINE_ROWS = SWIZZLE_BYTES / static_cast<int>(sizeof(float)); // results of a column in a line
constexpr int LINES_BYTES = CHUNK_COLUMNS * SWIZZLE_BYTES;                  // of half a chunk, the lines of 32 rows
static_assert(sizeof(OUTPUT) == sizeof(float), "results of 16 bits are stored otherwise");

// Where the result in row `row` of 64 and column `column` of the chunk lies.
__device__ __forceinline__ int place_in_chunk(int row, int column)
{
    int bytes = column * SWIZZLE_BYTES + row % LINE_ROWS * static_cast<int>(sizeof(float));
    return row / LINE_ROWS * LINES_BYTES + swizzled<SWIZZLE_BYTES>(bytes);
}

// A 64 x CHUNK_COLUMNS chunk of the results, the `chunk`th of the tile, from registers to shared memory.
__device__ __forceinline__ void write_chunk(unsigned char* staged, const Results& results, int chunk, int thread)
{
    unsigned base = shared_address(staged);
    int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < CHUNK_COLUMNS / 2; ++i) {
        int to = place_in_chunk(row + i / 2 % 2 * 8, column + i / 4 * 8 + i % 2);
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(base + to), "f"(results.at(chunk * CHUNK_COLUMNS / 2 + i))
                     : "memory");
    }
}

#if STORE == BY_COLUMN_BOXES
// A chunk from shared memory to C, by one thread.
__device__ __forceinline__ void store_chunk(const Output& out, const unsigned char* staged, TileAt at, int first,
                                            int chunk)
{
    int row = at.row + first, column = at.column + chunk * CHUNK_COLUMNS;
    store_box<BATCHED>(*out.map, staged, {row, column, at.batch_1, at.batch_2});
    store_box<BATCHED>(*out.map, staged + LINES_BYTES, {row + LINE_ROWS, column, at.batch_1, at.batch_2});
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
        write_chunk(staged, results, chunk, thread);
        warps_sync(out.warps_id, WARPGROUP_THREADS);
        unsigned from = shared_address(staged);
#pragma unroll
        for (int i = 0; i < CHUNK_COLUMNS / WARPS_OF_WARPGROUP; ++i) {
            int of_chunk = i * WARPS_OF_WARPGROUP + warp, column = at.column + chunk * CHUNK_COLUMNS + of_chunk;
#pragma unroll
            for (int r = lane; r < WARPGROUP_ROWS; r += 32)
                if (row + r < out.m && column < out.n)
                    copy_element(c + row + r + column * out.strides.column, from + place_in_chunk(r, of_chunk));
        }
    }
    if (BLOCK_N / CHUNK_COLUMNS % 2)
        warps_sync(out.warps_id, WARPGROUP_THREADS);
}
#endif

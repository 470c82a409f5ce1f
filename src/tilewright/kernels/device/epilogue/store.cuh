// From the results in registers to C: STORE is BY_COPY_ENGINE, BY_ROWS, BY_ELEMENTS, or one of store_columns.cuh.
//
// wgmma leaves a 64 x N tile so: warp w of the four holds rows 16 w to 16 w + 15; its lane l holds, for each group j of
// eight columns, sums[4 j] and [4 j + 1] in row l / 4 at columns 8 j + 2 (l % 4) and one on, [4 j + 2] and [4 j + 3]
// eight rows further down. A store straight from there would write 16 bytes here and 16 there.
//   BY_COPY_ENGINE  through shared memory in chunks of up to 128 bytes a row, each stored as a box, and what widths
//                   that no such chunks make up leave as a narrower box: C must suit the engine.
//   BY_ROWS         through shared memory, whole vectors of 16 bytes a lane, whatever the base and row stride of C.
//   BY_ELEMENTS     straight from the registers: any strides. For results that are small beside the operands.
#pragma once

#include "device/memory/vectors.cuh"
#include "device/sm90/row_classes.cuh"
#include "device/sm90/tile.cuh"
#include "device/sm90/tma.cuh"

#define BY_COPY_ENGINE 0
#define BY_ROWS 1
#define BY_ELEMENTS 2
#define BY_COLUMN_BOXES 3
#define BY_COLUMNS 4
#define STORES_BOXES (STORE == BY_COPY_ENGINE || STORE == BY_COLUMN_BOXES)

// Threads that store columns need half the room, which is room for a stage. Boxes of 16 bits have 32 columns or more
// where the tile has, and what is left of it is a chunk of its own.
constexpr int MOST_CHUNK_COLUMNS = SWIZZLE_BYTES / static_cast<int>(sizeof(OUTPUT)) / (STORE == BY_COLUMNS ? 2 : 1);
constexpr int DIVIDING_COLUMNS = power_of_two_in(BLOCK_N, MOST_CHUNK_COLUMNS), LEAST_CHUNK_COLUMNS = 32;
constexpr bool LEAVES_REST = STORES_BOXES && sizeof(OUTPUT) == 2 && BLOCK_N > LEAST_CHUNK_COLUMNS;
constexpr int CHUNK_COLUMNS =
    LEAVES_REST && DIVIDING_COLUMNS < LEAST_CHUNK_COLUMNS ? LEAST_CHUNK_COLUMNS : DIVIDING_COLUMNS;
constexpr int CHUNKS = BLOCK_N / CHUNK_COLUMNS, REST_COLUMNS = BLOCK_N % CHUNK_COLUMNS;
constexpr int MAPS_OF_C = REST_COLUMNS > 0 ? 2 : 1;
constexpr int CHUNK_BYTES = WARPGROUP_ROWS * CHUNK_COLUMNS * static_cast<int>(sizeof(OUTPUT));
static_assert(!STORES_BOXES || ROW_STEP == 1, "a box has every row");
static_assert(STORE != BY_COPY_ENGINE || CHUNK_COLUMNS * sizeof(OUTPUT) >= 2 * VECTOR_BYTES, "two matrices or more");

// BY_ROWS: a warp's 16 rows of up to 256 bytes, 16 vectors, each row with a vector more to be shifted by.
constexpr int OUTPUTS = VECTOR_BYTES / static_cast<int>(sizeof(OUTPUT)); // in a vector
constexpr int STAGED_VECTORS = 16;
constexpr int STAGED_COLUMNS = power_of_two_in(BLOCK_N, STAGED_VECTORS * OUTPUTS);
constexpr int STAGED_ROW_BYTES = STAGED_COLUMNS * static_cast<int>(sizeof(OUTPUT)) + VECTOR_BYTES;

// Two chunks per group of 64 rows, or the rows of its four warps.
constexpr int STAGING_BYTES = STORE == BY_ELEMENTS ? 0
                              : STORE == BY_ROWS   ? WARPGROUP_ROWS * STAGED_ROW_BYTES
                                                   : 2 * CHUNK_BYTES;

// C, and what a warpgroup's results pass through on their way there.
struct Output {
#if STORES_BOXES
    const TensorMap* maps; // of boxes for chunks, and for what is left of a tile
    int chunk_turn; // which of the two chunks of `staging` is next
#else
    OUTPUT* c;
    Strides strides;
#endif
    int m, n;
    unsigned char* staging;
    int warps_id; // of the hardware barrier for the four warps
};

// The first row and column of a block's tile, and its batches.
struct TileAt {
    int row, column, batch_1, batch_2;
};

// Store four 8 x 8 matrices of 16-bit elements, a row of 16 bytes at the address that each lane gives.
__device__ __forceinline__ void store_matrices(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
}

// Two of them, at the addresses of the first 16 lanes.
__device__ __forceinline__ void store_two_matrices(unsigned address, unsigned a, unsigned b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}

// The same of their transposes.
__device__ __forceinline__ void store_transposed(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a),
                 "r"(b), "r"(c), "r"(d)
                 : "memory");
}

__device__ __forceinline__ void store_two_transposed(unsigned address, unsigned a, unsigned b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b)
                 : "memory");
}

// One element from shared memory to C.
__device__ __forceinline__ void copy_element(OUTPUT* to, unsigned from)
{
    if constexpr (sizeof(OUTPUT) == 2)
        asm volatile("{\n.reg .b16 element;\nld.shared.b16 element, [%1];\nst.global.b16 [%0], element;\n}" ::"l"(to),
                     "r"(from)
                     : "memory");
    else
        asm volatile("{\n.reg .b32 element;\nld.shared.b32 element, [%1];\nst.global.b32 [%0], element;\n}" ::"l"(to),
                     "r"(from)
                     : "memory");
}

#if STORE == BY_COPY_ENGINE
// Where a byte of a box lies: rows of 32, 64 and 128 bytes are swizzled.
template <int ROW_BYTES> __device__ __forceinline__ int place_in_box(int offset)
{
    constexpr bool IS_SWIZZLED = power_of_two_in(ROW_BYTES, SWIZZLE_BYTES) == ROW_BYTES;
    return IS_SWIZZLED ? swizzled<ROW_BYTES>(offset) : offset;
}

// 64 x COLUMNS of the results, those of a chunk, from registers to shared memory.
template <int COLUMNS, typename Stored>
__device__ __forceinline__ void write_chunk(unsigned char* chunk_at, const ResultsOf<Stored>& results, int chunk,
                                            int thread)
{
    constexpr int CHUNK_ROW_BYTES = COLUMNS * static_cast<int>(sizeof(OUTPUT));
    int lane = thread % 32;
    int warp_row = thread / 32 * 16;
    unsigned base = shared_address(chunk_at);
    if constexpr (sizeof(Stored) == 2) {
        int row = warp_row + lane % 16;
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j += 2) {
            const unsigned* pairs = results.value + chunk * CHUNK_COLUMNS / 4 + 2 * j;
            int to = place_in_box<CHUNK_ROW_BYTES>(row * CHUNK_ROW_BYTES + (j + lane / 16) * VECTOR_BYTES);
            if (j + 1 < COLUMNS / 8)
                store_matrices(base + to, pairs[0], pairs[1], pairs[2], pairs[3]);
            else
                store_two_matrices(base + to, pairs[0], pairs[1]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < COLUMNS / 4; ++i) {
            int row = warp_row + lane / 4 + i % 2 * 8;
            int column = i / 2 * 8 + lane % 4 * 2;
            const Stored* pair = results.value + chunk * CHUNK_COLUMNS / 2 + 2 * i;
            int to = place_in_box<CHUNK_ROW_BYTES>(row * CHUNK_ROW_BYTES + column * static_cast<int>(sizeof(OUTPUT)));
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(base + to), "f"(pair[0]), "f"(pair[1]) : "memory");
        }
    }
}

// A chunk from shared memory to C, by one thread.
template <int COLUMNS>
__device__ __forceinline__ void store_chunk(const TensorMap& map, const unsigned char* staged, TileAt at, int first,
                                            int chunk)
{
    store_box<BATCHED>(map, staged, {at.column + chunk * CHUNK_COLUMNS, at.row + first, at.batch_1, at.batch_2});
}

#elif STORE == BY_COLUMN_BOXES || STORE == BY_COLUMNS
#include "device/epilogue/store_columns.cuh"
#endif

#if STORES_BOXES
// A chunk is written while the one before is still being stored.
template <int COLUMNS>
__device__ __forceinline__ void pass_chunk(Output& out, const TensorMap& map, const Results& results, TileAt at,
                                           int first, int chunk, int thread)
{
    unsigned char* staged = out.staging + out.chunk_turn * CHUNK_BYTES;
    out.chunk_turn ^= 1;
    if (thread == 0)
        wait_for_stores_to_read<1>();
    warps_sync(out.warps_id, WARPGROUP_THREADS);
    write_chunk<COLUMNS>(staged, results, chunk, thread);
    fence_shared_writes();
    warps_sync(out.warps_id, WARPGROUP_THREADS);
    if (thread == 0) {
        store_chunk<COLUMNS>(map, staged, at, first, chunk);
        end_store_group();
    }
}

// Rows `first` to `first` + 63 of a tile to C, a chunk after another.
__device__ __forceinline__ void store_tile(Output& out, const Results& results, TileAt at, int first, int thread)
{
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; ++chunk)
        pass_chunk<CHUNK_COLUMNS>(out, out.maps[0], results, at, first, chunk, thread);
    if constexpr (REST_COLUMNS > 0)
        pass_chunk<REST_COLUMNS>(out, out.maps[1], results, at, first, CHUNKS, thread);
}

#elif STORE == BY_ROWS
// Two results side by side to shared memory, one at a time: they need not lie on a boundary of both. As PTX, because
// the compiler moves plain stores (and so reads of the sums) up to where wgmma still runs, and then serialises wgmma.
template <typename Stored>
__device__ __forceinline__ void store_neighbours(unsigned address, const ResultsOf<Stored>& results, int pair)
{
    if constexpr (sizeof(Stored) == 2)
        asm volatile("{\n.reg .b16 first, second;\nmov.b32 {first, second}, %1;\n"
                     "st.shared.b16 [%0], first;\nst.shared.b16 [%0 + 2], second;\n}" ::"r"(address),
                     "r"(results.value[pair])
                     : "memory");
    else
        asm volatile("st.shared.f32 [%0], %1;\nst.shared.f32 [%0 + 4], %2;" ::"r"(address),
                     "f"(results.value[2 * pair]), "f"(results.value[2 * pair + 1])
                     : "memory");
}

__device__ __forceinline__ uint4 load_vector(unsigned address)
{
    uint4 vector;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
                 : "r"(address)
                 : "memory");
    return vector;
}

// A warp's 16 rows by STAGED_COLUMNS, through `staged`, to C at any address, of which `rows` x `columns` lie inside.
// Each row lies in shared memory as far from a 16-byte boundary as it will lie in C: what is whole there is whole here.
__device__ __forceinline__ void store_rows(unsigned staged, const Results& results, int part, OUTPUT* c,
                                           long long row_stride, int rows, int columns, int lane)
{
    constexpr int BYTES = sizeof(OUTPUT);
    __syncwarp(); // the rows staged before have been read
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int r = lane / 4 + 8 * half;
        int shift = elements_past_boundary(c + r * row_stride);
        unsigned to = staged + r * STAGED_ROW_BYTES + (shift + lane % 4 * 2) * BYTES;
#pragma unroll
        for (int j = 0; j < STAGED_COLUMNS / 8; ++j)
            store_neighbours(to + 8 * j * BYTES, results, part * STAGED_COLUMNS / 4 + 2 * j + half);
    }
    __syncwarp();
    // Half a warp to a row: a whole vector for each of 16 lanes, then the elements before the first and after the last.
    int vector = lane % STAGED_VECTORS;
    OUTPUT* line = c + lane / STAGED_VECTORS * row_stride;
    staged += lane / STAGED_VECTORS * STAGED_ROW_BYTES;
    rows = columns > 0 ? rows - lane / STAGED_VECTORS : 0;
#pragma unroll 1
    for (int r = 0; r < min(rows, 16); r += 2) {
        int begin = elements_past_boundary(line);
        int end = begin + min(columns, STAGED_COLUMNS);
        OUTPUT* to = line - begin;
        if (OUTPUTS * vector >= begin && OUTPUTS * (vector + 1) <= end)
            reinterpret_cast<uint4*>(to)[vector] = load_vector(staged + VECTOR_BYTES * vector);
        int tail = end / OUTPUTS * OUTPUTS;
        bool before = begin > 0 && vector < OUTPUTS && vector >= begin && vector < end;
        bool after = vector >= OUTPUTS && vector < 2 * OUTPUTS && tail + vector - OUTPUTS < end &&
                     (tail > 0 || begin == 0);
        int single = before ? vector : tail + vector - OUTPUTS;
        if (before || after)
            copy_element(to + single, staged + single * BYTES);
        line += 2 * row_stride;
        staged += 2 * STAGED_ROW_BYTES;
    }
}
static_assert(STAGED_COLUMNS <= STAGED_VECTORS * OUTPUTS, "a row that begins off a boundary ends in a partial 17th");

// Rows `first` to `first` + 63 of a tile to C, 16 by each warp.
__device__ __forceinline__ void store_tile(Output& out, const Results& results, TileAt at, int first, int thread)
{
    OUTPUT* c = matrix_at(out.c, out.strides, at.batch_1, at.batch_2);
    int row = at.row + ROW_STEP * (first + thread / 32 * 16);
    int rows = (out.m - row + ROW_STEP - 1) / ROW_STEP;
    c += row * out.strides.row + at.column;
    unsigned staged = shared_address(out.staging) + thread / 32 * 16 * STAGED_ROW_BYTES;
#pragma unroll
    for (int part = 0; part < BLOCK_N / STAGED_COLUMNS; ++part)
        store_rows(staged, results, part, c + part * STAGED_COLUMNS, ROW_STEP * out.strides.row, rows,
                   out.n - at.column - part * STAGED_COLUMNS, thread % 32);
}

#elif STORE == BY_ELEMENTS
// Rows `first` to `first` + 63 of a tile to C.
__device__ __forceinline__ void store_tile(Output& out, const Results& results, TileAt at, int first, int thread)
{
    OUTPUT* c = matrix_at(out.c, out.strides, at.batch_1, at.batch_2);
    int row = first + thread / 32 * 16 + thread % 32 / 4;
    int column = at.column + thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        int r = at.row + ROW_STEP * (row + i / 2 % 2 * 8);
        int s = column + i / 4 * 8 + i % 2;
        if (r < out.m && s < out.n)
            c[r * out.strides.row + s * out.strides.column] = results.at(i);
    }
}
#endif

// What a warp multiplies of two tiles in shared memory: where the tiles' elements lie, the products, and which results
// a thread has.
//
// 16-bit types take the tensor cores (mma.sync), float32 the CUDA cores. The fragments are those of mma_sync.cu, and
// the lanes' arrangement that of cuda_cores_float32.cu.
// Macros: ELEMENT.
#pragma once

#include "device/mma/mma_sync.cuh"

// Where the elements of LINES x INNER lie. WHOLE: a vector of 16 bytes in memory is one here.
template <typename Element, int LINES, int INNER, int K_MAJOR> struct Place { // of 16 bits, for ldmatrix
    static constexpr int PITCH = (K_MAJOR ? INNER : LINES) + PADDING, ELEMENTS = (K_MAJOR ? LINES : INNER) * PITCH;
    static constexpr int RUN = (K_MAJOR ? INNER : LINES) / 8;
    static constexpr bool WHOLE = true;
    __device__ __forceinline__ static int of(int line, int inner)
    {
        return K_MAJOR ? line * PITCH + inner : inner * PITCH + line;
    }
};

template <int LINES, int INNER, int K_MAJOR> struct Place<float, LINES, INNER, K_MAJOR> {
    static constexpr int PITCH = LINES + (K_MAJOR ? 4 : 0), ELEMENTS = INNER * PITCH;
    static constexpr int RUN = K_MAJOR ? 4 : LINES / 4;
    static constexpr bool WHOLE = !K_MAJOR;
    __device__ __forceinline__ static int of(int line, int inner) { return inner * PITCH + line; }
};

// The results of a warp that multiplies by mma.sync: a thread has pairs in two rows of every 16 x 8.
template <int ROWS, int COLUMNS> struct Results {
    static constexpr int COUNT = ROWS * COLUMNS / 32;
    float sums[COUNT / 4][4] = {};

    __device__ __forceinline__ float& at(int i) { return sums[i / 4][i % 4]; }
    __device__ __forceinline__ static int row_of(int i)
    {
        return i / 4 / (COLUMNS / 8) * 16 + i % 4 / 2 * 8 + threadIdx.x % 32 / 4;
    }
    __device__ __forceinline__ static int column_of(int i)
    {
        return i / 4 % (COLUMNS / 8) * 8 + threadIdx.x % 4 * 2 + i % 2;
    }
};

// A warp's products: results from (row, column) of the tiles on.
template <typename Element, int ROWS, int COLUMNS, int INNER> struct WarpProducts : Results<ROWS, COLUMNS> {
    template <typename PlaceA, typename PlaceB, int A_MAJOR, int B_MAJOR>
    __device__ __forceinline__ void multiply(const Element* a, const Element* b, int row, int column)
    {
#pragma unroll
        for (int inner = 0; inner < INNER; inner += 16) {
            unsigned fragments_a[ROWS / 16][4], fragments_b[COLUMNS / 16][4];
#pragma unroll
            for (int i = 0; i < ROWS / 16; ++i)
                load_fragment_a<A_MAJOR, PlaceA::PITCH>(fragments_a[i], a, row + 16 * i, inner);
#pragma unroll
            for (int j = 0; j < COLUMNS / 16; ++j)
                load_fragment_b<B_MAJOR, PlaceB::PITCH>(fragments_b[j], b, column + 16 * j, inner);
#pragma unroll
            for (int i = 0; i < ROWS / 16; ++i)
#pragma unroll
                for (int j = 0; j < COLUMNS / 8; ++j)
                    multiply_add(this->sums[i * (COLUMNS / 8) + j], fragments_a[i], &fragments_b[j / 2][j % 2 * 2]);
        }
    }
};

// Neighbours of a line of shared memory, loaded at once.
template <int COUNT> struct alignas(4 * COUNT) Floats {
    float of[COUNT];
};

// On the CUDA cores a warp's 4 x 8 threads have four rows of every 16, and as many neighbouring columns.
template <int ROWS, int COLUMNS, int INNER> struct WarpProducts<float, ROWS, COLUMNS, INNER> {
    static constexpr int THREAD_M = ROWS / 4, THREAD_N = COLUMNS / 8, COUNT = THREAD_M * THREAD_N;
    static constexpr int AT_ONCE = THREAD_N < 4 ? THREAD_N : 4; // columns
    static_assert(THREAD_M % 4 == 0 && THREAD_N % AT_ONCE == 0, "operands are loaded several at once");
    float sums[THREAD_M][THREAD_N] = {};

    // Lanes are numbered so that a load of 16 bytes a thread takes two turns, not four.
    __device__ __forceinline__ static int lane_row() { return threadIdx.x % 2 + threadIdx.x % 32 / 16 * 2; }
    __device__ __forceinline__ static int lane_column() { return threadIdx.x / 2 % 8; }

    __device__ __forceinline__ float& at(int i) { return sums[i / THREAD_N][i % THREAD_N]; }
    __device__ __forceinline__ static int row_of(int i)
    {
        return i / THREAD_N / 4 * 16 + 4 * lane_row() + i / THREAD_N % 4;
    }
    __device__ __forceinline__ static int column_of(int i)
    {
        return (i % THREAD_N / AT_ONCE * 8 + lane_column()) * AT_ONCE + i % AT_ONCE;
    }

    template <typename PlaceA, typename PlaceB, int, int>
    __device__ __forceinline__ void multiply(const float* a, const float* b, int row, int column)
    {
        a += row + 4 * lane_row(), b += column + AT_ONCE * lane_column();
#pragma unroll
        for (int inner = 0; inner < INNER; ++inner) {
            Floats<4> of_a[THREAD_M / 4];
            Floats<AT_ONCE> of_b[THREAD_N / AT_ONCE];
#pragma unroll
            for (int i = 0; i < THREAD_M / 4; ++i)
                of_a[i] = *reinterpret_cast<const Floats<4>*>(a + inner * PlaceA::PITCH + 16 * i);
#pragma unroll
            for (int j = 0; j < THREAD_N / AT_ONCE; ++j)
                of_b[j] = *reinterpret_cast<const Floats<AT_ONCE>*>(b + inner * PlaceB::PITCH + 8 * AT_ONCE * j);
#pragma unroll
            for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
                for (int j = 0; j < THREAD_N; ++j)
                    sums[i][j] = fmaf(of_a[i / 4].of[i % 4], of_b[j / AT_ONCE].of[j % AT_ONCE], sums[i][j]);
        }
    }
};

// Products through shared memory. Macros: TM, TN, TK: the tile of C and the length of a step; R, S: elements of C per
// thread; PAD: columns beside those of A; BUFFERS: 1, or 2 (the next step's tiles are loaded before this one's are
// used); VECTOR: numbers per load, where rows are whole vectors.
#define ACROSS (TN / S)
#define THREADS (ACROSS * (TM / R))
struct alignas(VECTOR * sizeof(Number)) Numbers {
    Number at[VECTOR];
};

__device__ __forceinline__ Numbers taken(const Number *from, bool is_inside) {
    if (is_inside) return *(const Numbers *)from;
    return Numbers{};
}

extern "C" __global__ void drawn_tiles(OPERANDS) {
    __shared__ Number a[BUFFERS][TM][TK + PAD], b[BUFFERS][TK][TN];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, tx = thread % ACROSS, ty = thread / ACROSS;
    int top = blockIdx.y * TM, left = blockIdx.x * TN, buffer = 0;
    Sum sums[R][S] = {};

    auto load = [&](int first, int into) {
        for (int turn = thread; turn < TM * TK / VECTOR; turn += THREADS) {
#if defined(A_TRANSPOSED)
            int row = turn * VECTOR % TM, step = turn * VECTOR / TM;
#else
            int row = turn * VECTOR / TK, step = turn * VECTOR % TK;
#endif
            Numbers numbers = taken(&A_AT(top + row, first + step), top + row < m && first + step < k);
            for (int v = 0; v < VECTOR; ++v) {
#if defined(A_TRANSPOSED)
                a[into][row + v][step] = numbers.at[v];
#else
                a[into][row][step + v] = numbers.at[v];
#endif
            }
        }
        for (int turn = thread; turn < TK * TN / VECTOR; turn += THREADS) {
#if defined(B_TRANSPOSED)
            int step = turn * VECTOR % TK, column = turn * VECTOR / TK;
#else
            int step = turn * VECTOR / TN, column = turn * VECTOR % TN;
#endif
            Numbers numbers = taken(&B_AT(first + step, left + column), first + step < k && left + column < n);
            for (int v = 0; v < VECTOR; ++v) {
#if defined(B_TRANSPOSED)
                b[into][step + v][column] = numbers.at[v];
#else
                b[into][step][column + v] = numbers.at[v];
#endif
            }
        }
    };

#if BUFFERS == 2
    load(0, 0);
    __syncthreads();
#endif
    for (int first = 0; first < k; first += TK) {
#if BUFFERS == 2
        if (first + TK < k) load(first + TK, 1 - buffer);
#else
        load(first, 0);
        __syncthreads();
#endif
        for (int step = 0; step < TK; ++step)
            for (int r = 0; r < R; ++r)
                for (int s = 0; s < S; ++s)
                    sums[r][s] += value(a[buffer][ty * R + r][step]) * value(b[buffer][step][tx + s * ACROSS]);
        __syncthreads();
#if BUFFERS == 2
        buffer = 1 - buffer;
#endif
    }
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < S; ++s) {
            int row = top + ty * R + r, column = left + tx + s * ACROSS;
            if (row < m && column < n) C[row * ldc + column] = stored(sums[r][s]);
        }
}

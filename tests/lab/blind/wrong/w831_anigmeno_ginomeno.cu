// Ανηγμένο γινόμενο: C[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1], P = A*B.
// A: 2m x k, B: k x 2n, C: m x n (κατά γραμμές). m, n, k από 1 έως 9000.
// Στη διαμοιραζόμενη μνήμη μπαίνουν οι ακατέργαστες γραμμές του A, ζευγάρια τις κάνουμε στον πολλαπλασιασμό.
//
// Κλήση: dim3 b(T, T), g((n + T - 1) / T, (m + T - 1) / T);
//        anigmeno<<<g, b>>>(A, B, C, m, n, k);
#include <cuda_runtime.h>

constexpr int T = 16;
constexpr int VIMA = T + 1;         // πλάτος γραμμής στη διαμοιραζόμενη μνήμη

__global__ void anigmeno(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                         int m, int n, int k)
{
    __shared__ float sA[2 * T * T];
    __shared__ float sB[T * VIMA];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * T + ty;
    const int j = blockIdx.x * T + tx;
    const int prwti = blockIdx.y * 2 * T;       // πρώτη γραμμή του A για το μπλοκ

    float athroisma = 0.0f;
    for (int k0 = 0; k0 < k; k0 += T) {
        for (int r = ty; r < 2 * T; r += T) {
            const bool mesa = prwti + r < 2 * m && k0 + tx < k;
            sA[r * VIMA + tx] = mesa ? A[(size_t)(prwti + r) * k + k0 + tx] : 0.0f;
        }
        float zeugos = 0.0f;
        if (k0 + ty < k && j < n) {
            const float* b = B + (size_t)(k0 + ty) * 2 * n + 2 * j;
            zeugos = b[0] + b[1];
        }
        sB[ty * VIMA + tx] = zeugos;
        __syncthreads();

        for (int q = 0; q < T; ++q)
            athroisma += (sA[2 * ty * VIMA + q] + sA[(2 * ty + 1) * VIMA + q]) * sB[q * VIMA + tx];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * n + j] = athroisma;
}

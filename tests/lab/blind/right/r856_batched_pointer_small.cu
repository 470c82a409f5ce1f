// Margföldun margra lítilla fylkja: C[b] = alpha * A[b] * B[b] fyrir b = 0 .. fjoldi-1
// A[b]: m x k, B[b]: k x n, C[b]: m x n, allt dálk fyrir dálk (column-major) og þétt geymt.
// Stærðir: 1 <= m, n, k <= 48.  Fjöldi þráða í blokk má vera hvað sem er; blokkir ganga
// yfir rununa í skrefum. Kvikt deiliminni: (m*k + k*n) * sizeof(float) bæti (í mesta lagi 18 KiB).
#include <cassert>
#include <cuda_runtime.h>

__global__ void runumargf(const float *const *A, const float *const *B, float *const *C,
                          int m, int n, int k, float alpha, int fjoldi)
{
    extern __shared__ float geymsla[];
    float *a = geymsla;
    float *b = geymsla + m * k;

    for (int nr = blockIdx.x; nr < fjoldi; nr += gridDim.x) {
        const float *ga = A[nr];
        const float *gb = B[nr];
        float *gc = C[nr];

        for (int i = threadIdx.x; i < m * k; i += blockDim.x) a[i] = ga[i];
        for (int i = threadIdx.x; i < k * n; i += blockDim.x) b[i] = gb[i];
        __syncthreads();

        for (int i = threadIdx.x; i < m * n; i += blockDim.x) {
            const int lina = i % m, dalkur = i / m;
            const float *pa = a + lina;
            const float *pb = b + dalkur * k;
            float s = 0.f;
            for (int p = 0; p < k; ++p, pa += m) s += *pa * pb[p];
            gc[i] = alpha * s;
        }
        __syncthreads();   // næsta fylki má ekki skrifa yfir það sem enn er lesið
    }
}

void margfalda_runu(const float *const *dA, const float *const *dB, float *const *dC,
                    int m, int n, int k, float alpha, int fjoldi, cudaStream_t s = 0)
{
    assert(m >= 1 && n >= 1 && k >= 1 && m <= 48 && n <= 48 && k <= 48);
    if (fjoldi <= 0) return;
    const int blokkir = fjoldi < 4096 ? fjoldi : 4096;
    const size_t baeti = (size_t)(m * k + k * n) * sizeof(float);
    runumargf<<<blokkir, 160, baeti, s>>>(dA, dB, dC, m, n, k, alpha, fjoldi);
}

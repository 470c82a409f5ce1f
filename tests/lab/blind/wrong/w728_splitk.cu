// Opdracht 7: matrixproduct met split-K
// De lus over k wordt verdeeld over gridDim.z blokken; elk blok telt zijn
// deelsom met atomicAdd bij C op.  A: m x k, B: k x n, alle maten toegestaan.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TEGEL 16

#define CONTROLE(f) { cudaError_t fout = (f); if (fout != cudaSuccess) { \
    fprintf(stderr, "regel %d: %s\n", __LINE__, cudaGetErrorString(fout)); exit(1); } }

__global__ void splitk(const float *A, const float *B, float *C,
                       int m, int n, int k, int stuk)
{
    __shared__ float sA[TEGEL][TEGEL];
    __shared__ float sB[TEGEL][TEGEL];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int rij = blockIdx.y * TEGEL + ty;
    const int kolom = blockIdx.x * TEGEL + tx;
    const int van = blockIdx.z * stuk;
    const int tot = min(van + stuk, k);

    float som = 0.0f;
    for (int p = van; p < tot; p += TEGEL) {
        sA[ty][tx] = (rij < m && p + tx < tot) ? A[rij * k + p + tx] : 0.0f;
        sB[ty][tx] = (kolom < n && p + ty < tot) ? B[(p + ty) * n + kolom] : 0.0f;
        __syncthreads();
        for (int q = 0; q < TEGEL; ++q)
            som += sA[ty][q] * sB[q][tx];
        __syncthreads();
    }

    if (rij < m && kolom < n)
        atomicAdd(&C[rij * n + kolom], som);
}

static void vermenigvuldig(const float *dA, const float *dB, float *dC,
                           int m, int n, int k, int delen)
{
    int stuk = (k + delen - 1) / delen;
    dim3 blok(TEGEL, TEGEL);
    dim3 rooster((n + TEGEL - 1) / TEGEL, (m + TEGEL - 1) / TEGEL, delen);
    splitk<<<rooster, blok>>>(dA, dB, dC, m, n, k, stuk);
    CONTROLE(cudaGetLastError());
}

int main()
{
    const int m = 70, n = 50, k = 3000;
    std::vector<float> A(m * k), B(k * n), C(m * n), ref(m * n, 0.0f);
    for (auto &v : A) v = (float)(rand() % 5 - 2);
    for (auto &v : B) v = (float)(rand() % 5 - 2);
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p)
            for (int j = 0; j < n; ++j)
                ref[i * n + j] += A[i * k + p] * B[p * n + j];

    float *dA, *dB, *dC;
    CONTROLE(cudaMalloc(&dA, sizeof(float) * m * k));
    CONTROLE(cudaMalloc(&dB, sizeof(float) * k * n));
    CONTROLE(cudaMemcpy(dA, A.data(), sizeof(float) * m * k, cudaMemcpyHostToDevice));
    CONTROLE(cudaMemcpy(dB, B.data(), sizeof(float) * k * n, cudaMemcpyHostToDevice));
    CONTROLE(cudaMalloc(&dC, sizeof(float) * m * n));

    int totaalFout = 0;
    for (int delen : {1, 4, 7, 16}) {
        vermenigvuldig(dA, dB, dC, m, n, k, delen);
        CONTROLE(cudaMemcpy(C.data(), dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost));
        int fouten = 0;
        for (int i = 0; i < m * n; ++i)
            if (std::fabs(C[i] - ref[i]) > 0.5f) ++fouten;
        printf("delen = %2d: %d fouten\n", delen, fouten);
        totaalFout += fouten;
    }

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return totaalFout != 0;
}

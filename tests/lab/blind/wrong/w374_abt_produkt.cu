// Laboration 2: C = A * B^T (alla punkter mot alla punkter)
// A är m x d, B är n x d, C är m x n; allt lagras radvis. m, n, d >= 1.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define RUTA 16

#define KOLL(anrop)                                                          \
    if ((anrop) != cudaSuccess) {                                            \
        printf("CUDA-fel på rad %d\n", __LINE__);                            \
        exit(1);                                                             \
    }

__global__ void skalarprodukter(const float* A, const float* B, float* C,
                                int m, int n, int d)
{
    __shared__ float rA[RUTA][RUTA + 1];
    __shared__ float rB[RUTA][RUTA + 1];

    int tx = threadIdx.x, ty = threadIdx.y;
    int rad = blockIdx.y * RUTA + ty;
    int kol = blockIdx.x * RUTA + tx;
    int bRad = blockIdx.x * RUTA + ty;      // rad i B som tråden hämtar

    float s = 0.0f;
    for (int u = 0; u < d; u += RUTA) {
        rA[ty][tx] = (rad < m && u + tx < d) ? A[(size_t)rad * d + u + tx] : 0.0f;
        rB[ty][tx] = (bRad < n && u + tx < d) ? B[(size_t)bRad * d + u + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < RUTA; k++)
            s += rA[ty][k] * rB[tx][k];
        __syncthreads();
    }
    if (rad < m && kol < n)
        C[(size_t)rad * n + kol] = s;
}

int main(int argc, char** argv)
{
    int m = 512, n = 300, d = 70;
    if (argc > 3) {
        m = atoi(argv[1]);
        n = atoi(argv[2]);
        d = atoi(argv[3]);
    }
    if (m < 1 || n < 1 || d < 1 || m > 1000000) {
        printf("felaktiga storlekar\n");
        return 1;
    }

    std::vector<float> A((size_t)m * d), B((size_t)n * d), C((size_t)m * n);
    for (auto& v : A) v = rand() / (float)RAND_MAX;
    for (auto& v : B) v = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    KOLL(cudaMalloc(&dA, A.size() * sizeof(float)));
    KOLL(cudaMalloc(&dB, B.size() * sizeof(float)));
    KOLL(cudaMalloc(&dC, C.size() * sizeof(float)));
    KOLL(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    KOLL(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(RUTA, RUTA);
    dim3 grid((n + RUTA - 1) / RUTA, m / RUTA);
    skalarprodukter<<<grid, block>>>(dA, dB, dC, m, n, d);
    KOLL(cudaGetLastError());
    KOLL(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double storst = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int k = 0; k < d; k++)
                s += (double)A[(size_t)i * d + k] * B[(size_t)j * d + k];
            storst = fmax(storst, fabs(s - C[(size_t)i * n + j]) / (1.0 + s));
        }
    printf("största relativa avvikelse: %g (%s)\n", storst, storst < 1e-4 ? "ok" : "fel");

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return storst < 1e-4 ? 0 : 1;
}

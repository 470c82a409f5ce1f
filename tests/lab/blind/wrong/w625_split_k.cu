// Producte de matrius amb la dimensió K repartida entre blocs (split-K).
// Cada bloc (x, y, z) suma la seva part de K sobre C amb atomicAdd.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define COMPROVA(c)                                                            \
    do {                                                                       \
        cudaError_t err_ = (c);                                                \
        if (err_ != cudaSuccess) {                                             \
            std::fprintf(stderr, "línia %d: %s\n", __LINE__,                   \
                         cudaGetErrorString(err_));                            \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

constexpr int R = 16;

__global__ void producteSplitK(const float* A, const float* B, float* C,
                               int M, int N, int K, int tros)
{
    __shared__ float a[R][R + 1];
    __shared__ float b[R][R + 1];
    const int fila = blockIdx.y * R + threadIdx.y;
    const int col  = blockIdx.x * R + threadIdx.x;
    const int inici = blockIdx.z * tros;
    const int final_ = min(inici + tros, K);

    float acc = 0.f;
    for (int k0 = inici; k0 < final_; k0 += R) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (fila < M && ka < final_) ? A[(size_t)fila * K + ka] : 0.f;
        b[threadIdx.y][threadIdx.x] = (kb < final_ && col < N) ? B[(size_t)kb * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < R; ++k) acc += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (fila < M && col < N)
        atomicAdd(&C[(size_t)fila * N + col], acc);
}

std::vector<float> producte(const std::vector<float>& A, const std::vector<float>& B,
                            int M, int N, int K, int parts)
{
    std::vector<float> C((size_t)M * N);
    float *dA, *dB, *dC;
    COMPROVA(cudaMalloc(&dA, A.size() * sizeof(float)));
    COMPROVA(cudaMalloc(&dB, B.size() * sizeof(float)));
    COMPROVA(cudaMalloc(&dC, C.size() * sizeof(float)));
    COMPROVA(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    COMPROVA(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    const int tros = (K + parts - 1) / parts;
    const dim3 fils(R, R);
    const dim3 blocs((N + R - 1) / R, (M + R - 1) / R, parts);
    producteSplitK<<<blocs, fils>>>(dA, dB, dC, M, N, K, tros);
    COMPROVA(cudaGetLastError());
    COMPROVA(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    COMPROVA(cudaFree(dA));
    COMPROVA(cudaFree(dB));
    COMPROVA(cudaFree(dC));
    return C;
}

int main()
{
    const int M = 50, N = 60, K = 5000;
    std::vector<float> A((size_t)M * K, 0.5f), B((size_t)K * N, 2.0f);
    for (int parts : {1, 4, 10}) {
        const std::vector<float> C = producte(A, B, M, N, K, parts);
        std::printf("parts = %2d   C[0] = %.1f   C[ultim] = %.1f   (esperat %d)\n",
                    parts, C.front(), C.back(), K);
    }
    return 0;
}

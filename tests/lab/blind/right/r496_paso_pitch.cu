// C(MxN) = A(MxK) * B(KxN), row-major, every matrix allocated with cudaMallocPitch.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define OK(call)                                                              \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                 \
                    cudaGetErrorString(e_));                                  \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

__device__ __forceinline__ const float *fila(const float *p, size_t pitch, int r)
{
    return (const float *)((const char *)p + (size_t)r * pitch);
}

__global__ void productoPitch(const float *A, size_t pa, const float *B, size_t pb,
                              float *C, size_t pc, int M, int N, int K)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= M || c >= N) return;

    const float *a = fila(A, pa, r);
    float suma = 0.0f;
    for (int k = 0; k < K; ++k)
        suma += a[k] * fila(B, pb, k)[c];

    float *dst = (float *)((char *)C + (size_t)r * pc);
    dst[c] = suma;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 131;
    int K = argc > 2 ? atoi(argv[2]) : 77;
    int N = argc > 3 ? atoi(argv[3]) : 203;
    if (M < 1 || N < 1 || K < 1) return 2;

    std::vector<float> hA((size_t)M * K), hB((size_t)K * N), hC((size_t)M * N);
    for (size_t i = 0; i < hA.size(); ++i) hA[i] = (float)(rand() % 17 - 8) / 8.0f;
    for (size_t i = 0; i < hB.size(); ++i) hB[i] = (float)(rand() % 13 - 6) / 8.0f;

    float *dA, *dB, *dC;
    size_t pa, pb, pc;
    OK(cudaMallocPitch((void **)&dA, &pa, K * sizeof(float), M));
    OK(cudaMallocPitch((void **)&dB, &pb, N * sizeof(float), K));
    OK(cudaMallocPitch((void **)&dC, &pc, N * sizeof(float), M));
    OK(cudaMemcpy2D(dA, pa, hA.data(), K * sizeof(float), K * sizeof(float), M,
                    cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(dB, pb, hB.data(), N * sizeof(float), N * sizeof(float), K,
                    cudaMemcpyHostToDevice));

    dim3 hilos(32, 8);
    dim3 bloques((N + hilos.x - 1) / hilos.x, (M + hilos.y - 1) / hilos.y);
    productoPitch<<<bloques, hilos>>>(dA, pa, dB, pb, dC, pc, M, N, K);
    OK(cudaGetLastError());
    OK(cudaMemcpy2D(hC.data(), N * sizeof(float), dC, pc, N * sizeof(float), M,
                    cudaMemcpyDeviceToHost));

    double peor = 0.0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0.0;
            for (int k = 0; k < K; ++k)
                s += (double)hA[(size_t)i * K + k] * hB[(size_t)k * N + j];
            peor = fmax(peor, fabs(s - hC[(size_t)i * N + j]));
        }
    printf("error maximo %g -> %s\n", peor, peor < 1e-3 ? "BIEN" : "MAL");
    OK(cudaFree(dA));
    OK(cudaFree(dB));
    OK(cudaFree(dC));
    return peor < 1e-3 ? 0 : 1;
}

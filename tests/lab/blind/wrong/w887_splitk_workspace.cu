#include <cuda_runtime.h>

// C = A * B z razdelitvijo po K; delne vsote gredo v delovni pomnilnik
// (deli x M x N), drugo jedro jih sešteje v fiksnem vrstnem redu.
// Vse po vrsticah, M, N, K poljubni (K >= deli).

#define PL 16

__global__ void delni(const float *A, const float *B, float *W, int M, int N, int K)
{
    __shared__ float a[PL][PL + 1], b[PL][PL + 1];
    const int kos = K / gridDim.z;
    const int zac = blockIdx.z * kos;
    const int kon = zac + kos;
    const int v = blockIdx.x * PL + threadIdx.y;
    const int s = blockIdx.y * PL + threadIdx.x;

    float vsota = 0.f;
    for (int k = zac; k < kon; k += PL) {
        const int ka = k + threadIdx.x, kb = k + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = v < M && ka < kon ? A[(size_t)v * K + ka] : 0.f;
        b[threadIdx.y][threadIdx.x] = s < N && kb < kon ? B[(size_t)kb * N + s] : 0.f;
        __syncthreads();
        for (int i = 0; i < PL; ++i)
            vsota = fmaf(a[threadIdx.y][i], b[i][threadIdx.x], vsota);
        __syncthreads();
    }
    if (v < M && s < N)
        W[((size_t)blockIdx.z * M + v) * N + s] = vsota;
}

__global__ void sestej(const float *W, float *C, size_t mn, int deli)
{
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= mn) return;
    float t = 0.f;
    for (int d = 0; d < deli; ++d) t += W[d * mn + p];
    C[p] = t;
}

cudaError_t zmnozi(const float *A, const float *B, float *C, int M, int N, int K, int deli, cudaStream_t tok)
{
    float *W = nullptr;
    const size_t mn = (size_t)M * N;
    cudaError_t e = cudaMallocAsync((void **)&W, mn * deli * sizeof(float), tok);
    if (e != cudaSuccess) return e;
    dim3 mreza((M + PL - 1) / PL, (N + PL - 1) / PL, deli);
    delni<<<mreza, dim3(PL, PL), 0, tok>>>(A, B, W, M, N, K);
    sestej<<<(unsigned)((mn + 255) / 256), 256, 0, tok>>>(W, C, mn, deli);
    cudaFreeAsync(W, tok);
    return cudaGetLastError();
}

#include <cuda_runtime.h>

// შემცირებული ნამრავლი: C(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
// A: 2m x k, B: k x 2n, C: m x n, ყველა სტრიქონობრივი.
// A და B გამოძახების მომენტში უკვე მზადაა GPU-ს მეხსიერებაში.
// SA (m x k) და SB (k x n) დროებითი მასივებია, GPU-ზე გამოყოფილი.

__global__ void striqonebi(const float *A, float *SA, int m, int k)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < m * k; p += gridDim.x * blockDim.x) {
        int i = p / k, q = p - i * k;
        SA[p] = A[2 * i * k + q] + A[(2 * i + 1) * k + q];
    }
}

__global__ void svetebi(const float2 *B, float *SB, int n, int k)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n * k; p += gridDim.x * blockDim.x) {
        float2 w = B[p];
        SB[p] = w.x + w.y;
    }
}

__global__ void namravli(const float *SA, const float *SB, float *C, int m, int n, int k)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    float s = 0.f;
    for (int q = 0; q < k; q += 16) {
        a[y][x] = (i < m && q + x < k) ? SA[i * k + q + x] : 0.f;
        b[y][x] = (j < n && q + y < k) ? SB[(q + y) * n + j] : 0.f;
        __syncthreads();
        for (int t = 0; t < 16; ++t) s += a[y][t] * b[t][x];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = s;
}

void shemcirebuli(const float *A, const float *B, float *C, float *SA, float *SB, int m, int n, int k)
{
    cudaStream_t s1, s2;
    cudaEvent_t mzad;
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&mzad, cudaEventDisableTiming);

    striqonebi<<<64, 256, 0, s1>>>(A, SA, m, k);
    svetebi<<<64, 256, 0, s2>>>(reinterpret_cast<const float2 *>(B), SB, n, k);
    cudaEventRecord(mzad, s2);

    dim3 bloki(16, 16), bade((n + 15) / 16, (m + 15) / 16);
    namravli<<<bade, bloki, 0, s1>>>(SA, SB, C, m, n, k);

    cudaStreamSynchronize(s1);
    cudaEventSynchronize(mzad);
    cudaEventDestroy(mzad);
    cudaStreamDestroy(s1);
    cudaStreamDestroy(s2);
}

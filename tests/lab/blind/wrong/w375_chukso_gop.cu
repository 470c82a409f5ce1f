// 과제 4: 축소 행렬 곱
// P = A * B (A: m x k, B: k x n, 행 우선)를 2 x 2 칸씩 묶어 더한 행렬 R을 구한다.
// R의 크기는 ceil(m/2) x ceil(n/2), 가장자리에서 모자란 칸은 더하지 않는다.
// m, n, k >= 1, m <= 524280. 스레드 하나가 P의 원소 하나를 계산한다.
#include <cuda_runtime.h>

struct Keugi {
    int m, n, k;
    __host__ __device__ int rHaeng() const { return (m + 1) / 2; }
    __host__ __device__ int rYeol() const { return (n + 1) / 2; }
};

__global__ void chuksoGop(const int* A, const int* B, int* R, Keugi g)
{
    const int yeol  = blockIdx.x * blockDim.x + threadIdx.x;
    const int haeng = blockIdx.y * blockDim.y + threadIdx.y;
    if (haeng >= g.m || yeol >= g.n)
        return;

    int hap = 0;
    for (int p = 0; p < g.k; ++p)
        hap += A[(size_t)haeng * g.k + p] * B[(size_t)p * g.n + yeol];

    // P의 (haeng, yeol)은 R의 (haeng/2, yeol/2)에 들어간다
    R[(size_t)(haeng / 2) * g.rYeol() + yeol / 2] += hap;
}

// 모든 포인터는 장치 메모리를 가리킨다.
cudaError_t chukso(const int* dA, const int* dB, int* dR, int m, int n, int k)
{
    if (m < 1 || n < 1 || k < 1 || m > 524280)
        return cudaErrorInvalidValue;

    Keugi g = {m, n, k};
    cudaError_t e = cudaMemset(dR, 0, (size_t)g.rHaeng() * g.rYeol() * sizeof(int));
    if (e != cudaSuccess)
        return e;

    dim3 block(32, 8);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    chuksoGop<<<grid, block>>>(dA, dB, dR, g);
    return cudaGetLastError();
}

// Reduced matrix product on the GPU.
// R (m/2 x n/2): every element is the sum of a 2 x 2 square of A*B.
// The sum factors into (two rows of A added) * (two columns of B added),
// so only k multiplications are needed for each element.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <memory>
#include <cuda_runtime.h>

#define TS 16

__global__ void rmm_kernel(const float* A, const float* B, float* R, int m, int k, int n)
{
    __shared__ float pairA[TS][TS];   // A[2i][p] + A[2i+1][p]
    __shared__ float pairB[TS][TS];   // B[p][2j] + B[p][2j+1]

    const int hm = m / 2, hn = n / 2;
    const int i = blockIdx.y * TS + threadIdx.y;
    const int j = blockIdx.x * TS + threadIdx.x;

    float r = 0.0f;
    for (int t = 0; t < (k + TS - 1) / TS; ++t)
    {
        const int pa = t * TS + threadIdx.x;
        const int pb = t * TS + threadIdx.y;

        if (i < hm && pa < k)
            pairA[threadIdx.y][threadIdx.x] = A[(2 * i) * k + pa] + A[(2 * i + 1) * k + pa];
        else
            pairA[threadIdx.y][threadIdx.x] = 0.0f;

        if (j < hn && pb < k)
            pairB[threadIdx.y][threadIdx.x] = B[pb * n + 2 * j] + B[pb * n + 2 * j + 1];
        else
            pairB[threadIdx.y][threadIdx.x] = 0.0f;

        for (int q = 0; q < TS; ++q)
            r += pairA[threadIdx.y][q] * pairB[q][threadIdx.x];

        __syncthreads();
    }

    if (i < hm && j < hn)
        R[i * hn + j] = r;
}

static float pseudo(uint32_t& state)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * (1.0f / 16777216.0f) - 0.5f;
}

int main()
{
    const int m = 222, k = 97, n = 130;   // m and n even
    auto A = std::make_unique<float[]>(m * k);
    auto B = std::make_unique<float[]>(k * n);
    auto R = std::make_unique<float[]>((m / 2) * (n / 2));

    uint32_t seed = 2024;
    for (int x = 0; x < m * k; ++x) A[x] = pseudo(seed);
    for (int x = 0; x < k * n; ++x) B[x] = pseudo(seed);

    float *dA, *dB, *dR;
    cudaMalloc(&dA, m * k * sizeof(float));
    cudaMalloc(&dB, k * n * sizeof(float));
    cudaMalloc(&dR, (m / 2) * (n / 2) * sizeof(float));
    cudaMemcpy(dA, A.get(), m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.get(), k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(TS, TS);
    dim3 blocks((n / 2 + TS - 1) / TS, (m / 2 + TS - 1) / TS);
    rmm_kernel<<<blocks, threads>>>(dA, dB, dR, m, k, n);
    if (cudaGetLastError() != cudaSuccess) {
        puts("launch failed");
        return 1;
    }
    cudaMemcpy(R.get(), dR, (m / 2) * (n / 2) * sizeof(float), cudaMemcpyDeviceToHost);

    // reference: the full product, then add the squares
    bool good = true;
    for (int i = 0; i < m / 2 && good; ++i)
        for (int j = 0; j < n / 2; ++j) {
            double s = 0.0;
            for (int u = 0; u < 2; ++u)
                for (int v = 0; v < 2; ++v)
                    for (int p = 0; p < k; ++p)
                        s += (double)A[(2 * i + u) * k + p] * B[p * n + 2 * j + v];
            if (fabs(s - R[i * (n / 2) + j]) > 1e-3) {
                printf("R[%d][%d] = %f, expected %f\n", i, j, R[i * (n / 2) + j], s);
                good = false;
                break;
            }
        }
    puts(good ? "test passed" : "test failed");

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return good ? 0 : 1;
}

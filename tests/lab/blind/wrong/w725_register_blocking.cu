// Homework 5: matrix product with register blocking.
// Each block computes a 64x64 piece of C with 16x16 threads, each thread 4x4.
// m and n must be multiples of 64, k a multiple of 16 (checked in main).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define BM 64
#define BN 64
#define BK 16

#define CUDA_OK(x) if (cudaError_t e = (x); e != cudaSuccess) { \
    printf("CUDA error %s (line %d)\n", cudaGetErrorString(e), __LINE__); exit(1); }

__global__ void __launch_bounds__(256)
sgemm_4x4(const float* __restrict__ A, const float* __restrict__ B,
          float* __restrict__ C, int m, int n, int k)
{
    __shared__ __align__(16) float As[BK][BM + 4];   // stored transposed
    __shared__ __align__(16) float Bs[BK][BN];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    const int aRow = tid / 4, aCol = (tid % 4) * 4;
    const int bRow = tid / 16, bCol = (tid % 16) * 4;

    float acc[4][4] = {};

    for (int k0 = 0; k0 < k; k0 += BK) {
        float4 va = *reinterpret_cast<const float4*>(&A[(size_t)(row0 + aRow) * k + k0 + aCol]);
        float4 vb = *reinterpret_cast<const float4*>(&B[(size_t)(k0 + bRow) * n + col0 + bCol]);
        As[aCol + 0][aRow] = va.x;
        As[aCol + 1][aRow] = va.y;
        As[aCol + 2][aRow] = va.z;
        As[aCol + 3][aRow] = va.w;
        *reinterpret_cast<float4*>(&Bs[bRow][bCol]) = vb;
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < BK; ++p) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = As[p][ty * 4 + i];
            for (int j = 0; j < 4; ++j) b[j] = Bs[p][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        float4 out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        size_t pos = (size_t)(row0 + ty + 16 * i) * n + col0 + tx * 4;
        *reinterpret_cast<float4*>(&C[pos]) = out;
    }
}

int main()
{
    const int m = 256, n = 320, k = 176;
    if (m % BM || n % BN || k % BK) { puts("sizes not supported"); return 1; }

    std::vector<float> A((size_t)m * k), B((size_t)k * n), C((size_t)m * n);
    srand(42);
    for (auto& v : A) v = rand() % 9 - 4;
    for (auto& v : B) v = rand() % 9 - 4;

    float *dA, *dB, *dC;
    CUDA_OK(cudaMalloc(&dA, A.size() * 4));
    CUDA_OK(cudaMalloc(&dB, B.size() * 4));
    CUDA_OK(cudaMalloc(&dC, C.size() * 4));
    CUDA_OK(cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice));

    sgemm_4x4<<<dim3(n / BN, m / BM), dim3(16, 16)>>>(dA, dB, dC, m, n, k);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double r = 0;
            for (int p = 0; p < k; ++p) r += (double)A[i * k + p] * B[p * n + j];
            if (std::fabs(r - C[i * n + j]) > 0.01) ++wrong;
        }
    printf("%ld wrong elements\n", wrong);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong ? 1 : 0;
}

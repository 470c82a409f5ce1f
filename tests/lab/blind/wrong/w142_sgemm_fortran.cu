// C = A * B for column-major matrices (as in BLAS).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TS 16

__global__ void sgemm_nn(int m, int n, int k,
                         const float *A, int lda,
                         const float *B, int ldb,
                         float *C, int ldc)
{
    __shared__ float tA[TS][TS];   // [k][row]
    __shared__ float tB[TS][TS];   // [column][k]

    const int tx = threadIdx.x;    // along the rows of C
    const int ty = threadIdx.y;    // along the columns of C
    const int i = blockIdx.x * TS + tx;
    const int j = blockIdx.y * TS + ty;
    float s = 0.0f;

    for (int p0 = 0; p0 < k; p0 += TS) {
        tA[ty][tx] = (i < m && p0 + ty < k) ? A[i + (p0 + ty) * lda] : 0.0f;
        tB[ty][tx] = (p0 + tx < k && j < n) ? B[p0 + tx + j * ldb] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TS; ++p)
            s += tA[p][tx] * tB[ty][p];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * ldc + j] = s;
}

int main()
{
    const int m = 75, n = 75, k = 50;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (int e = 0; e < m * k; ++e) A[e] = (e % 14) * 0.5f;
    for (int e = 0; e < k * n; ++e) B[e] = (e % 9) * 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * m * k);
    cudaMalloc(&dB, sizeof(float) * k * n);
    cudaMalloc(&dC, sizeof(float) * m * n);
    cudaMemcpy(dA, A.data(), sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * k * n, cudaMemcpyHostToDevice);

    sgemm_nn<<<dim3((m + TS - 1) / TS, (n + TS - 1) / TS), dim3(TS, TS)>>>(
        m, n, k, dA, m, dB, k, dC, m);
    cudaMemcpy(C.data(), dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            float s = 0.0f;
            for (int p = 0; p < k; ++p) s += A[i + p * m] * B[p + j * k];
            if (std::fabs(s - C[i + j * m]) > 1e-2f) ++wrong;
        }
    std::printf("%d wrong\n", wrong);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return wrong ? 1 : 0;
}

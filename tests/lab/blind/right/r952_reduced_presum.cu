// Reduced product: the pairs of rows of A and of columns of B are added while loading.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

const int TS = 16;

__global__ void reducedMul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float rowPair[TS][TS];
    __shared__ float colPair[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TS + ty, j = blockIdx.x * TS + tx;
    float acc = 0;
    for (int t = 0; t < (k + TS - 1) / TS; t++) {
        int ka = t * TS + tx, kb = t * TS + ty;
        float va = 0, vb = 0;
        if (i < m && ka < k)
            va = A[2 * i * k + ka] + A[(2 * i + 1) * k + ka];
        if (j < n && kb < k)
            vb = B[kb * 2 * n + 2 * j] + B[kb * 2 * n + 2 * j + 1];
        rowPair[ty][tx] = va;
        colPair[ty][tx] = vb;
        __syncthreads();
        for (int s = 0; s < TS; s++) acc += rowPair[ty][s] * colPair[s][tx];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = acc;
}

int main()
{
    int m = 37, n = 21, k = 50;
    std::vector<float> A(2 * m * k), B(k * 2 * n), C(m * n);
    for (size_t q = 0; q < A.size(); q++) A[q] = int(q * 7 % 11) - 5;
    for (size_t q = 0; q < B.size(); q++) B[q] = int(q * 3 % 13) - 6;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, 2 * m * k * sizeof(float));
    cudaMalloc(&dB, 2 * n * k * sizeof(float));
    cudaMalloc(&dC, m * n * sizeof(float));
    cudaMemcpy(dA, A.data(), 2 * m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), 2 * n * k * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(TS, TS), grid((n + TS - 1) / TS, (m + TS - 1) / TS);
    reducedMul<<<grid, block>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float want = 0;
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++)
                    for (int q = 0; q < k; q++)
                        want += A[(2 * i + u) * k + q] * B[q * 2 * n + 2 * j + v];
            if (want != C[i * n + j]) errors++;
        }
    printf("errors: %d\n", errors);
    return errors;
}

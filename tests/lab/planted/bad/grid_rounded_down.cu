// Matrix multiplication with its host program. P (n, w) = M (n, k) * N (k, w).
// The grid is rounded down: the last rows and columns of P have no thread.

#include <iostream>
#include <vector>

#define BLOCK 16

__global__ void MatrixMul(const float* M, const float* N, float* P, int n, int k, int w)
{
    int Row = blockIdx.y * blockDim.y + threadIdx.y;
    int Col = blockIdx.x * blockDim.x + threadIdx.x;
    if (Row < n && Col < w) {
        float Pvalue = 0;
        for (int i = 0; i < k; ++i)
            Pvalue += M[Row * k + i] * N[i * w + Col];
        P[Row * w + Col] = Pvalue;  // planted: wrong result
    }
}

int main()
{
    int n = 40, k = 24, w = 36;
    std::vector<float> M(n * k, 1.0f), N(k * w, 2.0f), P(n * w);
    float *dM, *dN, *dP;
    cudaMalloc(&dM, n * k * sizeof(float));
    cudaMalloc(&dN, k * w * sizeof(float));
    cudaMalloc(&dP, n * w * sizeof(float));
    cudaMemcpy(dM, M.data(), n * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dN, N.data(), k * w * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(BLOCK, BLOCK);
    dim3 grid(w / BLOCK, n / BLOCK);  // cause
    MatrixMul<<<grid, block>>>(dM, dN, dP, n, k, w);

    cudaMemcpy(P.data(), dP, n * w * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << P[0] << std::endl;
    cudaFree(dM);
    cudaFree(dN);
    cudaFree(dP);
    return 0;
}

#include <cstdio>
#include <cuda_runtime.h>

#define BR 16

// jeder Thread: zwei Zeilen (2*y und 2*y+1), eine Spalte
__global__ void zweiZeilen(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float ka[2 * BR][BR];
    __shared__ float kb[BR][BR];
    int tx = threadIdx.x, ty = threadIdx.y;
    int z = blockIdx.y * 2 * BR + 2 * ty;
    int s = blockIdx.x * BR + tx;
    float oben = 0.0f, unten = 0.0f;

    for (int k0 = 0; k0 < p; k0 += BR) {
        int k = k0 + tx;
        ka[2 * ty][tx] = (z < m && k < p) ? A[z * p + k] : 0.0f;
        ka[2 * ty + 1][tx] = (z + 1 < m && k < p) ? A[(z + 1) * p + k] : 0.0f;
        kb[ty][tx] = (k0 + ty < p && s < n) ? B[(k0 + ty) * n + s] : 0.0f;
        __syncthreads();
        for (int q = 0; q < BR; q++) {
            oben += ka[2 * ty][q] * kb[q][tx];
            unten += ka[2 * ty + 1][q] * kb[q][tx];
        }
        __syncthreads();
    }
    if (z < m && s < n) {
        C[z * n + s] = oben;
        C[(z + 1) * n + s] = unten;
    }
}

int main()
{
    int m = 45, n = 33, p = 29;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = 1.0f;
    for (int i = 0; i < p * n; i++) B[i] = 2.0f;
    dim3 gitter((n + BR - 1) / BR, (m + 2 * BR - 1) / (2 * BR));
    zweiZeilen<<<gitter, dim3(BR, BR)>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[m * n - 1]);
    return 0;
}

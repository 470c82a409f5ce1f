/* Reduced matrix product, ported from an OpenCL lab sheet.
 * A: m x k, B: k x n, m and n even. C: m/2 x n/2,
 * C[i][j] = (row 2i + row 2i+1 of A) . (column 2j + column 2j+1 of B)  */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__device__ static int get_global_id(int d)
{
    return d == 0 ? blockIdx.x * blockDim.x + threadIdx.x
                  : blockIdx.y * blockDim.y + threadIdx.y;
}

__global__ void reduced(const int *A, const int *B, int *C, int m, int n, int k)
{
    int j = get_global_id(0);
    int i = get_global_id(1);
    if (i < m / 2 && j < n / 2) {
        const int *top = A + (2 * i) * k;
        const int *bottom = top + k;
        int acc = 0;
        for (int q = 0; q < k; q++) {
            int left = B[q * n + 2 * j];
            int right = B[q * n + 2 * j + 1];
            acc += (top[q] + bottom[q]) * (left + right);
        }
        C[i * (n / 2) + j] = acc;
    }
}

int main(int argc, char **argv)
{
    int m = 66, n = 94, k = 51;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }
    if (m < 2 || n < 2 || k < 1 || m % 2 || n % 2 || m > 4096 || n > 4096 || k > 4096) {
        printf("need even m, n and k >= 1, all at most 4096\n");
        return 1;
    }
    size_t sa = sizeof(int) * m * k, sb = sizeof(int) * k * n, sc = sizeof(int) * (m / 2) * (n / 2);
    int *A = (int *)malloc(sa), *B = (int *)malloc(sb), *C = (int *)malloc(sc);
    for (int i = 0; i < m * k; i++) A[i] = rand() % 21 - 10;
    for (int i = 0; i < k * n; i++) B[i] = rand() % 21 - 10;

    int *bufA, *bufB, *bufC;
    cudaMalloc((void **)&bufA, sa);
    cudaMalloc((void **)&bufB, sb);
    cudaMalloc((void **)&bufC, sc);
    cudaMemcpy(bufA, A, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(bufB, B, sb, cudaMemcpyHostToDevice);

    dim3 local(16, 8);
    dim3 groups((n / 2 + local.x - 1) / local.x, (m / 2 + local.y - 1) / local.y);
    reduced<<<groups, local>>>(bufA, bufB, bufC, m, n, k);
    cudaMemcpy(C, bufC, sc, cudaMemcpyDeviceToHost);

    /* reference: sum of the four entries of the full product */
    int bad = 0;
    for (int i = 0; i < m; i += 2)
        for (int j = 0; j < n; j += 2) {
            int s = 0;
            for (int q = 0; q < k; q++)
                for (int e = 0; e < 4; e++)
                    s += A[(i + e / 2) * k + q] * B[q * n + j + e % 2];
            bad += s != C[(i / 2) * (n / 2) + j / 2];
        }
    printf("%d bad elements\n", bad);
    cudaFree(bufA); cudaFree(bufB); cudaFree(bufC);
    free(A); free(B); free(C);
    return bad != 0;
}

/*
 * Reduced matrix multiplication, version 1 (direct).
 * A is m x k, B is k x n (row-major); R is (m/2) x (n/2) and
 * R[i][j] is the sum of the 2x2 square of A*B at rows 2i,2i+1 and
 * columns 2j,2j+1.  One thread per element, 4k multiplications each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BX 32
#define BY 8

__global__ void rmm_direct(const float *A, const float *B, float *R,
                           int m, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int rows = m / 2;
    int cols = n / 2;

    if (i >= rows || j >= cols)
        return;

    float total = 0.0f;
    for (int di = 0; di < 2; di++) {
        const float *a = A + (size_t)(2 * i + di) * k;
        for (int dj = 0; dj < 2; dj++) {
            const float *b = B + 2 * j + dj;
            float dot = 0.0f;
            for (int p = 0; p < k; p++)
                dot += a[p] * b[(size_t)p * n];
            total += dot;
        }
    }
    R[(size_t)i * cols + j] = total;
}

static void fill(float *x, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = (float)(rand() % 2001 - 1000) / 1000.0f;
}

static void rmm_cpu(const float *A, const float *B, double *R, int m, int k, int n)
{
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            double s = 0.0;
            for (int di = 0; di < 2; di++)
                for (int dj = 0; dj < 2; dj++)
                    for (int p = 0; p < k; p++)
                        s += (double)A[(2 * i + di) * k + p] * B[p * n + 2 * j + dj];
            R[i * (n / 2) + j] = s;
        }
}

int main(void)
{
    const int m = 74, k = 51, n = 140;
    const int out = (m / 2) * (n / 2);
    float *A = (float *)malloc(m * k * sizeof(float));
    float *B = (float *)malloc(k * n * sizeof(float));
    float *R = (float *)malloc(out * sizeof(float));
    double *ref = (double *)malloc(out * sizeof(double));
    fill(A, m * k);
    fill(B, k * n);

    float *dA, *dB, *dR;
    cudaMalloc((void **)&dA, m * k * sizeof(float));
    cudaMalloc((void **)&dB, k * n * sizeof(float));
    cudaMalloc((void **)&dR, out * sizeof(float));
    cudaMemcpy(dA, A, m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(BX, BY);
    dim3 grid((n / 2 + BX - 1) / BX, (m / 2 + BY - 1) / BY);
    rmm_direct<<<grid, block>>>(dA, dB, dR, m, k, n);
    cudaError_t launch = cudaGetLastError();
    cudaError_t copy = cudaMemcpy(R, dR, out * sizeof(float), cudaMemcpyDeviceToHost);

    rmm_cpu(A, B, ref, m, k, n);
    int bad = 0;
    if (launch != cudaSuccess || copy != cudaSuccess)
        bad = out;
    else
        for (int i = 0; i < out; i++)
            if (!(fabs(R[i] - ref[i]) < 1e-3))
                bad++;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    free(A);
    free(B);
    free(R);
    free(ref);
    printf("rmm direct: %d of %d wrong, %s\n", bad, out, bad == 0 ? "OK" : "FAILED");
    return bad == 0 ? 0 : 1;
}

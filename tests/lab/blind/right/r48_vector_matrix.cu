// y = x^T * A   (row vector times matrix), A is n x m row-major, y has m entries
// 32 columns per block, 8 threads share one column, then they add up in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define COLS 32
#define PARTS 8

__global__ void vecmat(const float* x, const float* A, float* y, int n, int m)
{
    __shared__ float part[PARTS][COLS];
    int col = blockIdx.x * COLS + threadIdx.x;

    float s = 0.f;
    if (col < m)
        for (int r = threadIdx.y; r < n; r += PARTS)
            s += x[r] * A[r * m + col];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y == 0 && col < m) {
        float total = 0.f;
        for (int p = 0; p < PARTS; p++)
            total += part[p][threadIdx.x];
        y[col] = total;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 431;
    int m = argc > 2 ? atoi(argv[2]) : 275;
    std::vector<float> x(n), A(n * m), y(m);
    for (int i = 0; i < n; i++) x[i] = (i % 15) / 15.0f;
    for (int i = 0; i < n * m; i++) A[i] = (i % 33) / 33.0f - 0.5f;

    float *dx, *dA, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dA, n * m * sizeof(float));
    cudaMalloc(&dy, m * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dA, A.data(), n * m * sizeof(float), cudaMemcpyHostToDevice);

    vecmat<<<(m + COLS - 1) / COLS, dim3(COLS, PARTS)>>>(dx, dA, dy, n, m);
    cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int j = 0; j < m; j++) {
        double s = 0;
        for (int i = 0; i < n; i++) s += (double)x[i] * A[i * m + j];
        if (!(fabs(s - y[j]) <= 1e-3)) bad++;
    }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFree(dx); cudaFree(dA); cudaFree(dy);
    return bad ? 1 : 0;
}

#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TX 32
#define TY 8

// every thread computes ROWS elements of one column of C
#define ROWS 4

__global__ void multiRow(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sA[TY * ROWS][TX];
    __shared__ float sB[TX][TX];

    int tid = threadIdx.y * TX + threadIdx.x;
    int col = blockIdx.x * TX + threadIdx.x;
    int rowBase = blockIdx.y * (TY * ROWS);

    float acc[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int k0 = 0; k0 < k; k0 += TX) {
        // 256 threads fill two tiles of 32 x 32
        for (int e = tid; e < TX * TX; e += TX * TY) {
            int i = e / (TX * TY) * TY;
            int j = e % TX;
            sA[i][j] = (rowBase + i < m && k0 + j < k) ? A[(rowBase + i) * k + k0 + j] : 0.0f;
        }
        for (int e = tid; e < TX * TX; e += TX * TY) {
            int i = e / TX;
            int j = e % TX;
            sB[i][j] = (k0 + i < k && blockIdx.x * TX + j < n) ? B[(k0 + i) * n + blockIdx.x * TX + j] : 0.0f;
        }
        __syncthreads();

        for (int kk = 0; kk < TX; ++kk) {
            float b = sB[kk][threadIdx.x];
            for (int r = 0; r < ROWS; ++r)
                acc[r] += sA[threadIdx.y + r * TY][kk] * b;
        }
        __syncthreads();
    }

    for (int r = 0; r < ROWS; ++r) {
        int row = rowBase + threadIdx.y + r * TY;
        if (row < m && col < n)
            C[row * n + col] = acc[r];
    }
}

int make(int m, int n, int k)
{
    std::vector<float> A(m * k), B(k * n), C(m * n, 0.0f);
    for (int i = 0; i < m * k; i++) A[i] = (i * 3) % 17;
    for (int i = 0; i < k * n; i++) B[i] = (i * 5) % 19;
    float *a, *b, *c;
    cudaMalloc(&a, m * k * sizeof(float));
    cudaMalloc(&b, k * n * sizeof(float));
    cudaMalloc(&c, m * n * sizeof(float));
    cudaMemcpy(a, A.data(), m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), k * n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((n + TX - 1) / TX, (m + TY * ROWS - 1) / (TY * ROWS));
    multiRow<<<grid, dim3(TX, TY)>>>(a, b, c, m, n, k);
    cudaMemcpy(C.data(), c, m * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(a); cudaFree(b); cudaFree(c);

    int wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int kk = 0; kk < k; kk++) s += A[i * k + kk] * B[kk * n + j];
            wrong += s != C[i * n + j];
        }
    return wrong;
}

int main()
{
    printf("wrong: %d\n", make(160, 128, 96));
    return 0;
}

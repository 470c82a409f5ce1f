#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define T 8          // C elements per block edge
#define F (2 * T)    // edge in the full product
#define KK 12        // depth of a step

// Every thread forms the 2 x 2 square of the full product and adds it up at the end.
__global__ void square_sums(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float a[F][KK], b[KK][F];
    const int tid = threadIdx.y * T + threadIdx.x;
    const int top = blockIdx.y * F, left = blockIdx.x * F;
    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int s = 0; s < k; s += KK) {
        for (int e = tid; e < F * KK; e += T * T) {
            int r = e / KK, q = e % KK;
            a[r][q] = (top + r < 2 * m && s + q < k) ? A[(top + r) * k + s + q] : 0.f;
            int u = e / F, v = e % F;
            b[u][v] = (s + u < k && left + v < 2 * n) ? B[(s + u) * 2 * n + left + v] : 0.f;
        }
        __syncthreads();
        for (int q = 0; q < KK; q++) {
            float a0 = a[2 * threadIdx.y][q], a1 = a[2 * threadIdx.y + 1][q];
            float b0 = b[q][2 * threadIdx.x], b1 = b[q][2 * threadIdx.x + 1];
            p00 += a0 * b0; p01 += a0 * b1;
            p10 += a1 * b0; p11 += a1 * b1;
        }
        __syncthreads();
    }
    int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    if (i < m && j < n) C[i * n + j] = (p00 + p01) + (p10 + p11);
}

int main()
{
    const int m = 19, k = 31, n = 27;
    std::vector<float> A(2 * m * k), B(2 * n * k), C(m * n);
    for (auto &v : A) v = rand() % 7 - 3;
    for (auto &v : B) v = rand() % 7 - 3;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * A.size());
    cudaMalloc(&b, sizeof(float) * B.size());
    cudaMalloc(&c, sizeof(float) * C.size());
    cudaMemcpy(a, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), sizeof(float) * B.size(), cudaMemcpyHostToDevice);
    square_sums<<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T)>>>(a, b, c, m, k, n);
    cudaMemcpy(C.data(), c, sizeof(float) * C.size(), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float ref = 0;
            for (int y = 2 * i; y < 2 * i + 2; y++)
                for (int x = 2 * j; x < 2 * j + 2; x++)
                    for (int q = 0; q < k; q++) ref += A[y * k + q] * B[q * 2 * n + x];
            wrong += (ref != C[i * n + j]);
        }
    printf(wrong ? "%d mismatches\n" : "all right (%d)\n", wrong);
    return wrong > 0;
}

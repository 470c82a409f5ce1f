// Reduced matrix product. A: m x k, B: k x n (m, n even), C: m/2 x n/2.
// C(i,j) = sum_p (A(2i,p) + A(2i+1,p)) * (B(p,2j) + B(p,2j+1))
// so the rows of A and the columns of B are added when they are staged.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int T>
__global__ void rmm(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[T][T + 1];
    __shared__ float Bs[T][T + 1];

    const int hm = m / 2, hn = n / 2;
    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;
    float sum = 0.f;

    const int steps = (k + T - 1) / T;
    for (int s = 0; s < steps; ++s) {
        const int pa = s * T + threadIdx.x;
        const int pb = s * T + threadIdx.y;
        float a = 0.f, b = 0.f;
        if (i < hm && pa < k)
            a = A[(2 * i) * k + pa] + A[(2 * i + 1) * k + pa];
        if (j < hn && pb < k)
            b = B[pb * n + 2 * j] + B[pb * n + 2 * j + 1];
        As[threadIdx.y][threadIdx.x] = a;
        Bs[threadIdx.y][threadIdx.x] = b;
        __syncthreads();
        for (int p = 0; p < T; ++p)
            sum += As[threadIdx.y][p] * Bs[p][threadIdx.x];
        __syncthreads();
    }
    if (i < hm && j < hn) C[i * hn + j] = sum;
}

int main()
{
    constexpr int T = 32;
    const int m = 150, n = 210, k = 95;
    std::vector<float> A(m * k), B(k * n), C((m / 2) * (n / 2));
    for (int q = 0; q < m * k; ++q) A[q] = float(q % 9 - 4);
    for (int q = 0; q < k * n; ++q) B[q] = float(q % 4 - 1);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 grid((n / 2 + T - 1) / T, (m / 2 + T - 1) / T);
    rmm<T><<<grid, dim3(T, T)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            float want = 0.f;
            for (int r = 0; r < 2; ++r)
                for (int c = 0; c < 2; ++c)
                    for (int p = 0; p < k; ++p)
                        want += A[(2 * i + r) * k + p] * B[p * n + 2 * j + c];
            if (want != C[i * (n / 2) + j]) ++bad;
        }
    printf("%d wrong of %zu\n", bad, C.size());
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}

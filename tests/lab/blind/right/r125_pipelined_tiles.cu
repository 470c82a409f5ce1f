// Two shared buffers: while the product of one tile is formed, the elements of
// the next tile are already on their way into registers.
#include <cstdio>
#include <cmath>
#include <vector>

template <int T>
__global__ void pipelined(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[2][T][T];
    __shared__ float Bs[2][T][T + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;
    const int steps = (k + T - 1) / T;

    As[0][ty][tx] = (row < m && tx < k) ? A[row * k + tx] : 0.0f;
    Bs[0][ty][tx] = (ty < k && col < n) ? B[ty * n + col] : 0.0f;
    __syncthreads();

    int cur = 0;
    float sum = 0.0f;
    for (int s = 0; s < steps; ++s) {
        float nextA = 0.0f, nextB = 0.0f;
        if (s + 1 < steps) {
            const int ka = (s + 1) * T + tx;
            const int kb = (s + 1) * T + ty;
            if (row < m && ka < k) nextA = A[row * k + ka];
            if (kb < k && col < n) nextB = B[kb * n + col];
        }

#pragma unroll
        for (int i = 0; i < T; ++i)
            sum += As[cur][ty][i] * Bs[cur][i][tx];

        if (s + 1 < steps) {
            As[cur ^ 1][ty][tx] = nextA;
            Bs[cur ^ 1][ty][tx] = nextB;
        }
        __syncthreads();
        cur ^= 1;
    }

    if (row < m && col < n)
        C[row * n + col] = sum;
}

template <int T>
int test(int m, int n, int k)
{
    std::vector<float> A(m * k), B(k * n), C(m * n, -1.0f);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(i * 7 % 11) - 5.0f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = float(i * 5 % 9) - 4.0f;
    float *a, *b, *c;
    cudaMalloc(&a, A.size() * 4);
    cudaMalloc(&b, B.size() * 4);
    cudaMalloc(&c, C.size() * 4);
    cudaMemcpy(a, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    pipelined<T><<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T)>>>(a, b, c, m, n, k);
    cudaMemcpy(C.data(), c, C.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);

    int bad = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float ref = 0.0f;
            for (int p = 0; p < k; ++p) ref += A[i * k + p] * B[p * n + j];
            bad += std::fabs(ref - C[i * n + j]) > 1e-3f;
        }
    std::printf("T=%d %dx%dx%d: %d wrong\n", T, m, n, k, bad);
    return bad;
}

int main()
{
    int bad = 0;
    bad += test<16>(64, 64, 64);
    bad += test<16>(33, 70, 21);
    bad += test<32>(100, 45, 7);
    bad += test<8>(17, 19, 200);
    return bad ? 1 : 0;
}

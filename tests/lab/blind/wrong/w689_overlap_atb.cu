// Overlap matrix S = A^T * B.  A is K x M, B is K x N, S is M x N.
// C order (row major).  Tiles go through padded shared memory.
#include <iostream>
#include <vector>
#include <cmath>

constexpr int T = 16;

__global__ void overlap(const float* A, const float* B, float* S, int M, int N, int K)
{
    __shared__ float as[T][T + 1];   // as[k][i]
    __shared__ float bs[T][T + 1];   // bs[k][j]

    const int i0 = blockIdx.y * T;
    const int j0 = blockIdx.x * T;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = i0 + ty, j = j0 + tx;

    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += T) {
        const int k = k0 + ty;
        as[ty][tx] = (k < K && i < M) ? A[(size_t)k * M + i0 + tx] : 0.0f;
        bs[ty][tx] = (k < K && j < N) ? B[(size_t)k * N + j] : 0.0f;
        __syncthreads();
        for (int kk = 0; kk < T; ++kk)
            sum += as[kk][ty] * bs[kk][tx];
        __syncthreads();
    }
    if (i < M && j < N) S[(size_t)i * N + j] = sum;
}

struct Problem {
    int M, N, K;                     // each from 1 to 20000
    std::vector<float> A, B, S;
    Problem(int m, int n, int k) : M(m), N(n), K(k), A(k * m), B(k * n), S(m * n) {}

    void solve()
    {
        float *a, *b, *s;
        cudaMalloc(&a, A.size() * sizeof(float));
        cudaMalloc(&b, B.size() * sizeof(float));
        cudaMalloc(&s, S.size() * sizeof(float));
        cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(b, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
        dim3 block(T, T), grid((N + T - 1) / T, (M + T - 1) / T);
        overlap<<<grid, block>>>(a, b, s, M, N, K);
        cudaMemcpy(S.data(), s, S.size() * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(a); cudaFree(b); cudaFree(s);
    }

    float check() const
    {
        float worst = 0;
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                float t = 0;
                for (int k = 0; k < K; ++k) t += A[k * M + i] * B[k * N + j];
                worst = std::fmax(worst, std::fabs(t - S[i * N + j]));
            }
        return worst;
    }
};

int main()
{
    Problem p(64, 96, 200);
    for (size_t q = 0; q < p.A.size(); ++q) p.A[q] = float(q % 6);
    for (size_t q = 0; q < p.B.size(); ++q) p.B[q] = float(q % 4) - 1.5f;
    p.solve();
    std::cout << "worst difference " << p.check() << "\n";
}

// घटाया हुआ आव्यूह गुणन (reduced matmul), आयताकार:
//   A : m x k,  B : k x n,  C : (m/2) x (n/2)   (m और n सम, k कोई भी)
//   C[i][j] = A*B के 2x2 वर्ग (2i, 2j) का योग
// B के दो पड़ोसी स्तंभ float2 से एक साथ पढ़े जाते हैं; टाइलें दोहरे बफ़र में हैं,
// इसलिए हर चरण में केवल एक बाधा (barrier) चाहिए।
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int T = 16;

struct Aakaar { int m, n, k; };   // आकार

__device__ void tileBharo(float (&ta)[T][T + 1], float (&tb)[T][T + 1],
                          const float *A, const float *B, Aakaar s,
                          int pankti, int stambh, int k0)
{
    const int tx = threadIdx.x, ty = threadIdx.y;

    float va = 0.f;
    if (pankti < s.m / 2 && k0 + tx < s.k) {
        const float *p = A + (size_t)(2 * pankti) * s.k + k0 + tx;
        va = p[0] + p[s.k];                       // दो पंक्तियों का जोड़
    }
    ta[ty][tx] = va;

    float vb = 0.f;
    if (stambh < s.n / 2 && k0 + ty < s.k) {
        const float2 *p = reinterpret_cast<const float2 *>(B + (size_t)(k0 + ty) * s.n);
        const float2 q = p[stambh];               // दो स्तंभों का जोड़
        vb = q.x + q.y;
    }
    tb[ty][tx] = vb;
}

__global__ void ghataGunan(const float *__restrict__ A, const float *__restrict__ B,
                           float *__restrict__ C, Aakaar s)
{
    __shared__ float ta[2][T][T + 1];
    __shared__ float tb[2][T][T + 1];

    const int pankti = blockIdx.y * T + threadIdx.y;
    const int stambh = blockIdx.x * T + threadIdx.x;
    const int charan = (s.k + T - 1) / T;

    float yog = 0.f;
    int ab = 0;
    tileBharo(ta[0], tb[0], A, B, s, pankti, stambh, 0);
    __syncthreads();

    for (int c = 0; c < charan; ++c) {
        if (c + 1 < charan)
            tileBharo(ta[ab ^ 1], tb[ab ^ 1], A, B, s, pankti, stambh, (c + 1) * T);

#pragma unroll
        for (int q = 0; q < T; ++q)
            yog += ta[ab][threadIdx.y][q] * tb[ab][q][threadIdx.x];

        __syncthreads();
        ab ^= 1;
    }

    if (pankti < s.m / 2 && stambh < s.n / 2)
        C[(size_t)pankti * (s.n / 2) + stambh] = yog;
}

int main()
{
    const Aakaar s = {70, 52, 45};
    const int hm = s.m / 2, hn = s.n / 2;
    std::vector<float> A(s.m * s.k), B(s.k * s.n), C(hm * hn);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(i % 9) - 4.f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = float(i % 7) - 3.f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 grid((hn + T - 1) / T, (hm + T - 1) / T);
    ghataGunan<<<grid, dim3(T, T)>>>(dA, dB, dC, s);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int galat = 0;
    for (int i = 0; i < hm; ++i)
        for (int j = 0; j < hn; ++j) {
            double r = 0;
            for (int di = 0; di < 2; ++di)
                for (int dj = 0; dj < 2; ++dj)
                    for (int q = 0; q < s.k; ++q)
                        r += (double)A[(2 * i + di) * s.k + q] * B[q * s.n + 2 * j + dj];
            if (std::fabs(r - C[i * hn + j]) > 1e-2) ++galat;
        }
    std::printf("गलत मान: %d\n", galat);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return galat != 0;
}

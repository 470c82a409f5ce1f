// Matrisprodukt med float4-laddningar. Krav: m och n ar multiplar av 64,
// k ar en multipel av 16 (kontrolleras i main innan karnan startas).
#include <cstdio>
#include <cmath>
#include <vector>
#include <random>

static constexpr int BLOCK_M = 64, BLOCK_N = 64, BLOCK_K = 16;

__global__ void gangra4(const float* __restrict__ A, const float* __restrict__ B,
                        float* __restrict__ C, int m, int k, int n)
{
    __shared__ __align__(16) float delA[BLOCK_K][BLOCK_M];   // transponerad
    __shared__ __align__(16) float delB[BLOCK_K][BLOCK_N];

    const int trad = threadIdx.y * blockDim.x + threadIdx.x;  // 0..255
    const int rad0 = blockIdx.y * BLOCK_M;
    const int kol0 = blockIdx.x * BLOCK_N;

    // vilken float4 just den har traden hamtar
    const int aRad = trad / 4, aKol = (trad % 4) * 4;
    const int bRad = trad / 16, bKol = (trad % 16) * 4;

    float4 summa[4];
    for (int r = 0; r < 4; ++r) summa[r] = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int p0 = 0; p0 < k; p0 += BLOCK_K) {
        float4 a = *reinterpret_cast<const float4*>(&A[(size_t)(rad0 + aRad) * k + p0 + aKol]);
        float4 b = *reinterpret_cast<const float4*>(&B[(size_t)(p0 + bRad) * n + kol0 + bKol]);
        delA[aKol + 0][aRad] = a.x;
        delA[aKol + 1][aRad] = a.y;
        delA[aKol + 2][aRad] = a.z;
        delA[aKol + 3][aRad] = a.w;
        *reinterpret_cast<float4*>(&delB[bRad][bKol]) = b;
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < BLOCK_K; ++p) {
            float4 va = *reinterpret_cast<const float4*>(&delA[p][threadIdx.y * 4]);
            float4 vb = *reinterpret_cast<const float4*>(&delB[p][threadIdx.x * 4]);
            const float ar[4] = {va.x, va.y, va.z, va.w};
            #pragma unroll
            for (int r = 0; r < 4; ++r) {
                summa[r].x += ar[r] * vb.x;
                summa[r].y += ar[r] * vb.y;
                summa[r].z += ar[r] * vb.z;
                summa[r].w += ar[r] * vb.w;
            }
        }
        __syncthreads();
    }

    for (int r = 0; r < 4; ++r) {
        size_t plats = (size_t)(rad0 + threadIdx.y * 4 + r) * n + kol0 + threadIdx.x * 4;
        *reinterpret_cast<float4*>(&C[plats]) = summa[r];
    }
}

int main()
{
    const int m = 192, k = 80, n = 128;
    if (m % BLOCK_M || n % BLOCK_N || k % BLOCK_K) {
        printf("storlekarna passar inte FAILED\n");
        return 1;
    }
    std::mt19937 gen(2024);
    std::uniform_real_distribution<float> slump(-1.f, 1.f);
    std::vector<float> A((size_t)m * k), B((size_t)k * n), C((size_t)m * n);
    for (float& v : A) v = slump(gen);
    for (float& v : B) v = slump(gen);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    gangra4<<<dim3(n / BLOCK_N, m / BLOCK_M), dim3(16, 16)>>>(dA, dB, dC, m, k, n);
    bool ok = cudaGetLastError() == cudaSuccess;
    ok = cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess && ok;

    auto facit = [&](int i, int j) {
        double s = 0;
        for (int p = 0; p < k; ++p) s += (double)A[i * k + p] * B[p * n + j];
        return s;
    };
    double storst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
        {
            double fel = std::fabs(facit(i, j) - C[i * n + j]);
            ok = ok && fel < 1e-4;
            storst = std::fmax(storst, fel);
        }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    printf("storsta fel %.3g -> %s\n", storst, ok ? "OK" : "FAILED");
    return ok ? 0 : 1;
}

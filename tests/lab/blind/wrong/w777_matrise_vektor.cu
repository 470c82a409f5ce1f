// Oving 6: matrise ganger vektor, en varp per rad
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

constexpr int VARP = 32;
constexpr int RADER_PER_BLOKK = 8;

__global__ void matriseVektor(const float* A, const float* x, float* y, int m, int n)
{
    const int plass = threadIdx.x;                                // 0 .. 31
    const int rad = blockIdx.x * blockDim.x + threadIdx.y;
    if (rad >= m)
        return;                                                   // hele varpen

    const float* a = A + (size_t)rad * n;
    float sum = 0.0f;
    for (int j = plass; j < n; j += VARP)
        sum += a[j] * x[j];

    for (int d = VARP / 2; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);

    if (plass == 0)
        y[rad] = sum;
}

static float* tilKort(const std::vector<float>& v)
{
    float* p = nullptr;
    if (cudaMalloc(&p, v.size() * sizeof(float)) != cudaSuccess ||
        cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) {
        std::fprintf(stderr, "fikk ikke lagt data paa kortet\n");
        std::exit(1);
    }
    return p;
}

int main(int argc, char** argv)
{
    const int m = argc > 1 ? std::atoi(argv[1]) : 1003;
    const int n = argc > 2 ? std::atoi(argv[2]) : 777;

    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (size_t i = 0; i < A.size(); ++i)
        A[i] = float(i % 23) / 23.0f - 0.4f;
    for (int j = 0; j < n; ++j)
        x[j] = float(j % 9) - 4.0f;

    float* dA = tilKort(A);
    float* dx = tilKort(x);
    float* dy = tilKort(y);

    const dim3 blokk(VARP, RADER_PER_BLOKK);
    const int blokker = (m + RADER_PER_BLOKK - 1) / RADER_PER_BLOKK;
    matriseVektor<<<blokker, blokk>>>(dA, dx, dy, m, n);
    if (cudaGetLastError() != cudaSuccess) {
        std::fprintf(stderr, "kjernen startet ikke\n");
        return 1;
    }
    cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    int feil = 0;
    for (int i = 0; i < m; ++i) {
        double s = 0.0;
        for (int j = 0; j < n; ++j)
            s += (double)A[(size_t)i * n + j] * x[j];
        if (std::fabs(s - y[i]) > 1e-2)
            ++feil;
    }
    std::printf("%d av %d rader er feil\n", feil, m);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return feil != 0;
}

// Матричное умножение, размеры лежат в __constant__ памяти.
// Блоков запускаем сколько хотим: каждый блок берёт плитки C по очереди.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Razmery { int m, n, k; };
__constant__ Razmery rz;

constexpr int PL = 16;

__global__ void umnozhit(const float *a, const float *b, float *c)
{
    __shared__ float pa[PL][PL];
    __shared__ float pb[PL][PL];

    const int plitokX = (rz.n + PL - 1) / PL;
    const int plitokY = (rz.m + PL - 1) / PL;
    const int lx = threadIdx.x % PL;
    const int ly = threadIdx.x / PL;

    for (int p = blockIdx.x; p < plitokX * plitokY; p += gridDim.x) {
        const int stroka  = (p / plitokX) * PL + ly;
        const int stolbec = (p % plitokX) * PL + lx;
        float s = 0.0f;

        for (int t = 0; t < rz.k; t += PL) {
            pa[ly][lx] = (stroka < rz.m && t + lx < rz.k) ? a[stroka * rz.k + t + lx] : 0.0f;
            pb[ly][lx] = (t + ly < rz.k && stolbec < rz.n) ? b[(t + ly) * rz.n + stolbec] : 0.0f;
            __syncthreads();
            for (int q = 0; q < PL; ++q)
                s += pa[ly][q] * pb[q][lx];
            __syncthreads();
        }

        if (stroka < rz.m && stolbec < rz.n)
            c[stroka * rz.n + stolbec] = s;
    }
}

int main()
{
    Razmery h = {83, 65, 40};
    std::vector<float> a(h.m * h.k), b(h.k * h.n), c(h.m * h.n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 10) * 0.1f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 7) - 3.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(rz, &h, sizeof(h));

    umnozhit<<<7, PL * PL>>>(da, db, dc);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < h.m; ++i)
        for (int j = 0; j < h.n; ++j) {
            float s = 0.0f;
            for (int k = 0; k < h.k; ++k) s += a[i * h.k + k] * b[k * h.n + j];
            if (std::fabs(s - c[i * h.n + j]) > 1e-3f) ok = false;
        }
    std::printf("%s\n", ok ? "верно" : "ошибка");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return ok ? 0 : 1;
}

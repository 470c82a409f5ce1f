// Zadanie 5: y = A x, odin varp na stroku.
// A: m strok, n stolbtsov, hranitsya po strokam; m i n lyubye.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int POTOKOV = 256;           // 8 varpov v bloke

__global__ void matritsaNaVektor(const float *A, const float *x, float *y, int m, int n)
{
    int stroka = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int dorozhka = threadIdx.x % 32;

    if (stroka >= m)
        return;                    // ves' varp vyhodit vmeste

    const float *a = A + (size_t)stroka * n;
    float summa = 0.0f;
    for (int j = dorozhka; j < n; j += 32)
        summa += a[j] * x[j];

    for (int shag = 16; shag > 0; shag /= 2)
        summa += __shfl_down_sync(0xffffffff, summa, shag);

    if (dorozhka == 0)
        y[stroka] = summa;
}

int main()
{
    const int m = 1001, n = 777;

    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            A[(size_t)i * n + j] = (float)((i + 3 * j) % 8) + 1.0f;
    for (int j = 0; j < n; ++j)
        x[j] = (float)(j % 5) - 1.0f;

    float *dA, *dx, *dy;
    auto proverit = [](cudaError_t e, const char *chto) {
        if (e != cudaSuccess) {
            std::fprintf(stderr, "%s: %s\n", chto, cudaGetErrorString(e));
            std::exit(1);
        }
    };
    proverit(cudaMalloc(&dA, A.size() * sizeof(float)), "pamyat A");
    proverit(cudaMalloc(&dx, n * sizeof(float)), "pamyat x");
    proverit(cudaMalloc(&dy, m * sizeof(float)), "pamyat y");
    proverit(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice), "A");
    proverit(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice), "x");

    int blokov = (m + POTOKOV - 1) / POTOKOV;
    matritsaNaVektor<<<blokov, POTOKOV>>>(dA, dx, dy, m, n);
    proverit(cudaGetLastError(), "zapusk");
    proverit(cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost), "y");

    int oshibok = 0;
    for (int i = 0; i < m; ++i) {
        float s = 0.0f;
        for (int j = 0; j < n; ++j)
            s += A[(size_t)i * n + j] * x[j];
        if (std::fabs(s - y[i]) > 1e-2f)
            ++oshibok;
    }
    std::printf("oshibok: %d\n", oshibok);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return oshibok == 0 ? 0 : 1;
}

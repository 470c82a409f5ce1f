// Lista 3, exercicio 4: y = A * x, um bloco por linha da matriz
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

template <int N_THREADS>
__global__ void linhaPorBloco(const float *A, const float *x, float *y, int n)
{
    static_assert((N_THREADS & (N_THREADS - 1)) == 0, "potencia de dois");
    __shared__ float somas[N_THREADS];

    const int t = threadIdx.x;
    const float *linha = A + (size_t)blockIdx.x * n;

    float s = 0.0f;
    for (int j = t; j < n; j += N_THREADS)
        s += linha[j] * x[j];
    somas[t] = s;
    __syncthreads();

    for (int metade = N_THREADS / 2; metade > 0; metade >>= 1) {
        if (t < metade)
            somas[t] += somas[t + metade];
    }

    if (t == 0)
        y[blockIdx.x] = somas[0];
}

static bool deuErro(const char *etapa)
{
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) return false;
    std::cerr << etapa << ": " << cudaGetErrorString(e) << "\n";
    return true;
}

int main(int argc, char **argv)
{
    const int m = argc > 2 ? std::atoi(argv[1]) : 640;
    const int n = argc > 2 ? std::atoi(argv[2]) : 1500;

    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (auto &v : A) v = (std::rand() % 21 - 10) * 0.5f;
    for (auto &v : x) v = (std::rand() % 21 - 10) * 0.5f;

    float *dA = nullptr, *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    if (deuErro("alocacao")) return 1;

    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    if (deuErro("copia")) return 1;

    linhaPorBloco<256><<<m, 256>>>(dA, dx, dy, n);
    if (deuErro("kernel")) return 1;

    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (deuErro("copia de volta")) return 1;

    int ruins = 0;
    for (int i = 0; i < m; ++i) {
        double ref = 0.0;
        for (int j = 0; j < n; ++j)
            ref += (double)A[(size_t)i * n + j] * x[j];
        if (std::fabs(ref - y[i]) > 1e-2)
            ++ruins;
    }
    std::cout << (ruins ? "ERRADO: " : "certo: ") << ruins << " linhas diferentes\n";

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return ruins ? 1 : 0;
}

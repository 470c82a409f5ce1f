// Harjoitustyö: matriisi kertaa vektori, vektori vakiomuistissa.
// Vakiomuistia on vain 64 KB, joten pitkä vektori käsitellään paloina.
// rivit ja sarakkeet vapaasti valittavissa.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int PALA = 8192;               // 32 KB

__constant__ float vakioX[PALA];

__global__ void kerroPala(const float* A, float* y, int rivit, int sarakkeet, int alku, int pituus)
{
    int rivi = blockIdx.x * blockDim.x + threadIdx.x;
    if (rivi >= rivit)
        return;

    const float* a = A + (size_t)rivi * sarakkeet + alku;
    float summa = 0.0f;
    for (int j = 0; j < pituus; ++j)
        summa += a[j] * vakioX[j];
    y[rivi] = summa;
}

std::vector<float> kerro(const std::vector<float>& A, const std::vector<float>& x,
                         int rivit, int sarakkeet)
{
    float *dA = nullptr, *dy = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dy, rivit * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, rivit * sizeof(float));

    const int lohko = 128;
    const int lohkoja = (rivit + lohko - 1) / lohko;

    for (int alku = 0; alku < sarakkeet; alku += PALA) {
        int pituus = std::min(PALA, sarakkeet - alku);
        cudaMemcpyToSymbol(vakioX, x.data() + alku, pituus * sizeof(float));
        kerroPala<<<lohkoja, lohko>>>(dA, dy, rivit, sarakkeet, alku, pituus);
    }

    std::vector<float> y(rivit);
    cudaMemcpy(y.data(), dy, rivit * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dy);
    return y;
}

int main(int argc, char** argv)
{
    int rivit = argc > 1 ? std::atoi(argv[1]) : 300;
    int sarakkeet = argc > 2 ? std::atoi(argv[2]) : 5000;

    std::vector<float> A((size_t)rivit * sarakkeet), x(sarakkeet);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 3);
    for (int j = 0; j < sarakkeet; ++j) x[j] = (float)(j % 2);

    std::vector<float> y = kerro(A, x, rivit, sarakkeet);
    for (int i = 0; i < std::min(rivit, 5); ++i)
        std::printf("y[%d] = %g\n", i, y[i]);
    return 0;
}

// Ukol 3: soucin matic na GPU, obdelnikove matice libovolnych rozmeru
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define OVER(x) do { cudaError_t ch = (x); if (ch != cudaSuccess) { \
    std::cerr << "chyba CUDA: " << cudaGetErrorString(ch) << " radek " << __LINE__ << "\n"; \
    return 1; } } while (0)

constexpr int SIRKA = 32;   // blok: 32 sloupcu
constexpr int VYSKA = 8;    // blok: 8 radku

// Kazde vlakno pocita jeden prvek; radek matice A se ctou po kouskach do sdilene pameti.
__global__ void soucin(const float* A, const float* B, float* C, int m, int k, int n)
{
    __shared__ float kusA[VYSKA][SIRKA];

    const int radek = blockIdx.y * VYSKA + threadIdx.y;
    const int sloupec = blockIdx.x * SIRKA + threadIdx.x;
    float soucet = 0.0f;

    for (int zac = 0; zac < k; zac += SIRKA) {
        const int p = zac + threadIdx.x;
        kusA[threadIdx.y][threadIdx.x] = (radek < m && p < k) ? A[radek * k + p] : 0.0f;
        __syncthreads();

        const int konec = min(SIRKA, k - zac);
        if (sloupec < n)
            for (int i = 0; i < konec; ++i)
                soucet += kusA[threadIdx.y][i] * B[(zac + i) * n + sloupec];
        __syncthreads();
    }

    if (radek < m && sloupec < n)
        C[radek * n + sloupec] = soucet;
}

int main()
{
    const int m = 400, k = 150, n = 700;

    std::vector<float> A(m * k), B(k * n), C(m * n, -1.0f);
    for (int i = 0; i < m * k; ++i) A[i] = std::sin(0.01f * i);
    for (int i = 0; i < k * n; ++i) B[i] = std::cos(0.02f * i);

    float *gA = nullptr, *gB = nullptr, *gC = nullptr;
    OVER(cudaMalloc(&gA, A.size() * sizeof(float)));
    OVER(cudaMalloc(&gB, B.size() * sizeof(float)));
    OVER(cudaMalloc(&gC, C.size() * sizeof(float)));
    OVER(cudaMemcpy(gA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    OVER(cudaMemcpy(gB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    auto nahoru = [](int a, int b) { return (a + b - 1) / b; };
    const dim3 blok(SIRKA, VYSKA);
    const dim3 mrizka(nahoru(m, SIRKA), nahoru(n, VYSKA));
    soucin<<<mrizka, blok>>>(gA, gB, gC, m, k, n);
    OVER(cudaGetLastError());
    OVER(cudaMemcpy(C.data(), gC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int spatne = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int p = 0; p < k; ++p) s += double(A[i * k + p]) * B[p * n + j];
            if (std::fabs(s - C[i * n + j]) > 1e-3) ++spatne;
        }
    std::cout << (spatne ? "spatne prvky: " : "v poradku, chyb: ") << spatne << std::endl;

    cudaFree(gA);
    cudaFree(gB);
    cudaFree(gC);
    return spatne ? 1 : 0;
}

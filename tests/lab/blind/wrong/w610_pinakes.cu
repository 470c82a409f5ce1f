// Άσκηση 4 - Πολλαπλασιασμός πινάκων με πλακίδια
// Γ = Α * Β, διαστάσεις m x p και p x n (οποιεσδήποτε)
#include <cuda_runtime.h>

template <typename Arithmos, int PLEVRA>
__global__ void pollaplasiasmos(const Arithmos* a, const Arithmos* b, Arithmos* g,
                                int m, int n, int p)
{
    __shared__ Arithmos plA[PLEVRA][PLEVRA];
    __shared__ Arithmos plB[PLEVRA][PLEVRA];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int grammi = blockIdx.y * PLEVRA + y;
    const int stili  = blockIdx.x * PLEVRA + x;

    // μηδενισμός των πλακιδίων
    plA[y][x] = Arithmos(0);
    plB[y][x] = Arithmos(0);
    __syncthreads();

    Arithmos athroisma = Arithmos(0);
    const int vimata = (p + PLEVRA - 1) / PLEVRA;

    for (int v = 0; v < vimata; ++v) {
        const int thesiA = v * PLEVRA + x;
        const int thesiB = v * PLEVRA + y;

        if (grammi < m && thesiA < p)
            plA[y][x] = a[grammi * p + thesiA];
        if (thesiB < p && stili < n)
            plB[y][x] = b[thesiB * n + stili];
        __syncthreads();

        for (int k = 0; k < PLEVRA; ++k)
            athroisma += plA[y][k] * plB[k][x];
        __syncthreads();
    }

    if (grammi < m && stili < n)
        g[grammi * n + stili] = athroisma;
}

void ektelesi(const float* a, const float* b, float* g, int m, int n, int p)
{
    const int PLEVRA = 32;
    dim3 nimata(PLEVRA, PLEVRA);
    dim3 plegma((n + PLEVRA - 1) / PLEVRA, (m + PLEVRA - 1) / PLEVRA);
    pollaplasiasmos<float, PLEVRA><<<plegma, nimata>>>(a, b, g, m, n, p);
    cudaDeviceSynchronize();
}

void ektelesiDipli(const double* a, const double* b, double* g, int m, int n, int p)
{
    const int PLEVRA = 16;
    dim3 nimata(PLEVRA, PLEVRA);
    dim3 plegma((n + PLEVRA - 1) / PLEVRA, (m + PLEVRA - 1) / PLEVRA);
    pollaplasiasmos<double, PLEVRA><<<plegma, nimata>>>(a, b, g, m, n, p);
    cudaDeviceSynchronize();
}

// Paczka mnozen macierzy calkowitych: C[p] = A[p] * B[p], p = 0..ile-1.
// Blok 16 x 4 watki liczy kafelek 16 x 16, kazdy watek cztery wiersze.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SPRAWDZ(w) sprawdz((w), __FILE__, __LINE__)
static void sprawdz(cudaError_t w, const char* plik, int linia)
{
    if (w == cudaSuccess) return;
    fprintf(stderr, "%s:%d %s\n", plik, linia, cudaGetErrorString(w));
    exit(EXIT_FAILURE);
}

struct Wymiary { int m, k, n; };

const int BOK = 16;
const int RZAD = 4;              // blockDim.y
const int NA_WATEK = BOK / RZAD;

__global__ void mnozPaczke(const int* A, const int* B, int* C, Wymiary w)
{
    __shared__ int ka[BOK][BOK];
    __shared__ int kb[BOK][BOK];

    const int* a = A + (size_t)blockIdx.z * w.m * w.k;
    const int* b = B + (size_t)blockIdx.z * w.k * w.n;
    int*       c = C + (size_t)blockIdx.z * w.m * w.n;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int kol = blockIdx.x * BOK + tx;
    const int wiersz0 = blockIdx.y * BOK;
    int suma[NA_WATEK] = {0};

    for (int k0 = 0; k0 < w.k; k0 += BOK) {
        for (int r = ty; r < BOK; r += RZAD) {
            int wa = wiersz0 + r, ca = k0 + tx;
            ka[r][tx] = (wa < w.m && ca < w.k) ? a[wa * w.k + ca] : 0;
            int wb = k0 + r;
            kb[r][tx] = (wb < w.k && kol < w.n) ? b[wb * w.n + kol] : 0;
        }
        __syncthreads();
        for (int t = 0; t < BOK; ++t) {
            int y = kb[t][tx];
            for (int e = 0; e < NA_WATEK; ++e)
                suma[e] += ka[ty + e * RZAD][t] * y;
        }
        __syncthreads();
    }

    if (kol < w.n)
        for (int e = 0; e < NA_WATEK; ++e) {
            int wiersz = wiersz0 + ty + e * RZAD;
            if (wiersz < w.m) c[wiersz * w.n + kol] = suma[e];
        }
}

int main()
{
    const int ile = 9;
    const Wymiary zestawy[] = {{16, 16, 16}, {33, 7, 50}, {1, 100, 3}, {65, 40, 17}};
    int bledy = 0;

    for (const Wymiary& w : zestawy) {
        std::vector<int> A(ile * w.m * w.k), B(ile * w.k * w.n), C(ile * w.m * w.n);
        for (size_t i = 0; i < A.size(); ++i) A[i] = rand() % 21 - 10;
        for (size_t i = 0; i < B.size(); ++i) B[i] = rand() % 21 - 10;

        int *dA, *dB, *dC;
        SPRAWDZ(cudaMalloc(&dA, A.size() * sizeof(int)));
        SPRAWDZ(cudaMalloc(&dB, B.size() * sizeof(int)));
        SPRAWDZ(cudaMalloc(&dC, C.size() * sizeof(int)));
        SPRAWDZ(cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice));
        SPRAWDZ(cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice));

        dim3 siatka((w.n + BOK - 1) / BOK, (w.m + BOK - 1) / BOK, ile);
        mnozPaczke<<<siatka, dim3(BOK, RZAD)>>>(dA, dB, dC, w);
        SPRAWDZ(cudaGetLastError());
        SPRAWDZ(cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost));

        for (int p = 0; p < ile; ++p)
            for (int i = 0; i < w.m; ++i)
                for (int j = 0; j < w.n; ++j) {
                    int s = 0;
                    for (int t = 0; t < w.k; ++t)
                        s += A[(p * w.m + i) * w.k + t] * B[(p * w.k + t) * w.n + j];
                    if (s != C[(p * w.m + i) * w.n + j]) ++bledy;
                }
        SPRAWDZ(cudaFree(dA)); SPRAWDZ(cudaFree(dB)); SPRAWDZ(cudaFree(dC));
    }
    printf("bledow: %d\n", bledy);
    return bledy != 0;
}

// Paczka mnozen macierzy: C[b] = A[b] * B[b] dla b = 0 .. ile-1.
// Macierze leza jedna za druga w pamieci, wierszami.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Wymiary {
    int m, k, n;   // A: m x k, B: k x n
    int ile;       // liczba par w paczce
};

#define KAFEL 8

__global__ void mnoz_paczke(const float *A, const float *B, float *C, Wymiary w)
{
    __shared__ float ka[KAFEL][KAFEL];
    __shared__ float kb[KAFEL][KAFEL];

    const int wiersz  = blockIdx.y * KAFEL + threadIdx.y;
    const int kolumna = blockIdx.x * KAFEL + threadIdx.x;

    // petla po paczce: siatka w osi z moze byc mniejsza niz paczka
    for (int b = blockIdx.z; b < w.ile; b += gridDim.z) {
        const float *Ab = A + (size_t)b * w.m * w.k;
        const float *Bb = B + (size_t)b * w.k * w.n;
        float *Cb = C + (size_t)b * w.m * w.n;

        float suma = 0.f;
        for (int p0 = 0; p0 < w.k; p0 += KAFEL) {
            int pa = p0 + threadIdx.x;
            int pb = p0 + threadIdx.y;
            ka[threadIdx.y][threadIdx.x] =
                (wiersz < w.m && pa < w.k) ? Ab[(size_t)wiersz * w.k + pa] : 0.f;
            kb[threadIdx.y][threadIdx.x] =
                (pb < w.k && kolumna < w.n) ? Bb[(size_t)pb * w.n + kolumna] : 0.f;
            __syncthreads();
            #pragma unroll
            for (int p = 0; p < KAFEL; ++p)
                suma += ka[threadIdx.y][p] * kb[p][threadIdx.x];
            __syncthreads();
        }
        if (wiersz < w.m && kolumna < w.n)
            Cb[(size_t)wiersz * w.n + kolumna] = suma;
    }
}

void uruchom(const float *dA, const float *dB, float *dC, Wymiary w)
{
    dim3 blok(KAFEL, KAFEL);
    int z = w.ile < 16 ? w.ile : 16;
    dim3 siatka((w.n + KAFEL - 1) / KAFEL, (w.m + KAFEL - 1) / KAFEL, z);
    mnoz_paczke<<<siatka, blok>>>(dA, dB, dC, w);
}

int main()
{
    Wymiary w = {19, 30, 27, 37};
    size_t na = (size_t)w.ile * w.m * w.k;
    size_t nb = (size_t)w.ile * w.k * w.n;
    size_t nc = (size_t)w.ile * w.m * w.n;

    float *A, *B, *C;
    if (cudaMallocManaged(&A, na * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&B, nb * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&C, nc * sizeof(float)) != cudaSuccess) {
        printf("brak pamieci FAILED\n");
        return 1;
    }
    for (size_t i = 0; i < na; ++i) A[i] = (float)(rand() % 9 - 4);
    for (size_t i = 0; i < nb; ++i) B[i] = (float)(rand() % 9 - 4);

    uruchom(A, B, C, w);
    cudaError_t blad = cudaGetLastError();
    if (blad == cudaSuccess) blad = cudaDeviceSynchronize();

    // wartosci calkowite, wiec porownanie dokladne
    long zle = 0;
    for (int b = 0; b < w.ile && blad == cudaSuccess; ++b)
        for (int i = 0; i < w.m; ++i)
            for (int j = 0; j < w.n; ++j) {
                float s = 0;
                for (int p = 0; p < w.k; ++p)
                    s += A[((size_t)b * w.m + i) * w.k + p] * B[((size_t)b * w.k + p) * w.n + j];
                if (s != C[((size_t)b * w.m + i) * w.n + j]) ++zle;
            }
    bool dobrze = blad == cudaSuccess && zle == 0;
    printf("paczka %d macierzy, bledow %ld: %s\n", w.ile, zle, dobrze ? "OK" : "FAILED");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return dobrze ? 0 : 1;
}

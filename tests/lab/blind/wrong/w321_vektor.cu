// Domácí úkol 3: součin matice a vektoru, jeden warp na řádek
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define WARP 32
#define NA_BLOK 8      // řádků (warpů) na blok

#define KONTROLA(x) do { cudaError_t c = (x); if (c != cudaSuccess) { \
    printf("chyba: %s, radek %d\n", cudaGetErrorString(c), __LINE__); exit(1); } } while (0)

__global__ void maticeVektor(const float *A, const float *x, float *y, int radky, int sloupce)
{
    int radek = blockIdx.x * blockDim.y + threadIdx.y;
    int pruh = threadIdx.x;
    if (radek >= radky)
        return;             // odchází celý warp najednou

    float s = 0.0f;
    for (int j = pruh; j < sloupce; j += WARP)
        s += A[radek * sloupce + j] * x[j];

    for (int posun = WARP / 4; posun > 0; posun /= 2)
        s += __shfl_down_sync(0xffffffff, s, posun);

    if (pruh == 0)
        y[radek] = s;
}

int main()
{
    const int radky = 300, sloupce = 200;
    std::vector<float> A(radky * sloupce), x(sloupce), y(radky);
    for (size_t i = 0; i < A.size(); i++) A[i] = (float)(i % 9) * 0.1f;
    for (size_t i = 0; i < x.size(); i++) x[i] = (float)(i % 4) + 0.5f;

    float *dA, *dx, *dy;
    KONTROLA(cudaMalloc(&dA, A.size() * sizeof(float)));
    KONTROLA(cudaMalloc(&dx, x.size() * sizeof(float)));
    KONTROLA(cudaMalloc(&dy, y.size() * sizeof(float)));
    KONTROLA(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    KONTROLA(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 blok(WARP, NA_BLOK);
    maticeVektor<<<(radky + NA_BLOK - 1) / NA_BLOK, blok>>>(dA, dx, dy, radky, sloupce);
    KONTROLA(cudaGetLastError());
    KONTROLA(cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int spatne = 0;
    for (int i = 0; i < radky; i++) {
        double s = 0;
        for (int j = 0; j < sloupce; j++) s += A[i * sloupce + j] * x[j];
        if (fabs(s - y[i]) > 1e-2) spatne++;
    }
    printf("spatne radky: %d\n", spatne);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return 0;
}

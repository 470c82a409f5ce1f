// Cviceni 3: transpozice matice pres sdilenou pamet
#include <cstdio>
#include <vector>

enum { DLAZ = 32, RADKY = 8 };

template <class Typ>
__global__ void transponuj(Typ *ven, const Typ *dovnitr, int sirka, int vyska)
{
    __shared__ Typ dlazdice[DLAZ][DLAZ + 1];

    int x = blockIdx.x * DLAZ + threadIdx.x;
    int y = blockIdx.y * DLAZ + threadIdx.y;
    if (x < sirka)
        for (int r = 0; r < DLAZ && y + r < vyska; r += RADKY)
            dlazdice[threadIdx.y + r][threadIdx.x] = dovnitr[(y + r) * sirka + x];

    __syncthreads();

    // ve vystupu si bloky vymeni osy
    x = blockIdx.y * DLAZ + threadIdx.x;
    y = blockIdx.x * DLAZ + threadIdx.y;
    if (x < vyska)
        for (int r = 0; r < DLAZ && y + r < sirka; r += RADKY)
            ven[(y + r) * vyska + x] = dlazdice[threadIdx.x][threadIdx.y + r];
}

template <class Typ>
int zkus(int vyska, int sirka)
{
    size_t n = (size_t)vyska * sirka;
    std::vector<Typ> a(n), t(n);
    for (size_t i = 0; i < n; i++) a[i] = (Typ)i;

    Typ *da, *dt;
    cudaMalloc(&da, n * sizeof(Typ));
    cudaMalloc(&dt, n * sizeof(Typ));
    cudaMemcpy(da, a.data(), n * sizeof(Typ), cudaMemcpyHostToDevice);
    dim3 blok(DLAZ, RADKY);
    dim3 mrizka((sirka + DLAZ - 1) / DLAZ, (vyska + DLAZ - 1) / DLAZ);
    transponuj<Typ><<<mrizka, blok>>>(dt, da, sirka, vyska);
    cudaMemcpy(t.data(), dt, n * sizeof(Typ), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(dt);

    int chyb = 0;
    for (int i = 0; i < vyska; i++)
        for (int j = 0; j < sirka; j++)
            chyb += t[(size_t)j * vyska + i] != a[(size_t)i * sirka + j];
    return chyb;
}

int main()
{
    int chyb = zkus<float>(70, 45) + zkus<int>(1, 100) + zkus<double>(64, 96) + zkus<int>(33, 31);
    printf("chyb: %d\n", chyb);
    return chyb != 0;
}

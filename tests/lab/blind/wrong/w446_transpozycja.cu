#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BOK = 16;

// wynik[x][y] = wejscie[y][x]; wejscie ma `wysokosc` wierszy po `szerokosc` liczb
__global__ void transpozycja(const double *wejscie, double *wynik, int szerokosc, int wysokosc)
{
    __shared__ double kafel[BOK][BOK + 1];

    int kol = blockIdx.x * BOK + threadIdx.x;
    int wie = blockIdx.y * BOK + threadIdx.y;
    if (kol < szerokosc && wie < wysokosc)
        kafel[threadIdx.y][threadIdx.x] = wejscie[wie * szerokosc + kol];
    __syncthreads();

    int kol2 = blockIdx.y * BOK + threadIdx.x;
    int wie2 = blockIdx.x * BOK + threadIdx.y;
    if (kol < szerokosc && wie < wysokosc)
        wynik[wie2 * wysokosc + kol2] = kafel[threadIdx.x][threadIdx.y];
}

int main()
{
    int szerokosc = 320, wysokosc = 160;
    std::vector<double> h(szerokosc * wysokosc), w(szerokosc * wysokosc);
    for (size_t i = 0; i < h.size(); i++)
        h[i] = 0.5 * i;

    double *d1, *d2;
    size_t bajty = h.size() * sizeof(double);
    cudaMalloc(&d1, bajty);
    cudaMalloc(&d2, bajty);
    cudaMemcpy(d1, h.data(), bajty, cudaMemcpyHostToDevice);

    dim3 blok(BOK, BOK);
    dim3 siatka((szerokosc + BOK - 1) / BOK, (wysokosc + BOK - 1) / BOK);
    transpozycja<<<siatka, blok>>>(d1, d2, szerokosc, wysokosc);
    cudaMemcpy(w.data(), d2, bajty, cudaMemcpyDeviceToHost);

    int zle = 0;
    for (int i = 0; i < wysokosc; i++)
        for (int j = 0; j < szerokosc; j++)
            if (w[j * wysokosc + i] != h[i * szerokosc + j])
                zle++;
    printf("zle: %d\n", zle);
    cudaFree(d1);
    cudaFree(d2);
    return zle ? 1 : 0;
}

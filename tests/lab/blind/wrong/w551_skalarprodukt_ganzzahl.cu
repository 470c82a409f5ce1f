// Skalarprodukt ganzzahliger Vektoren mit zwei Kerneln
// Werte im Bereich -100000 .. 100000, Ergebnis in 64 Bit.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

inline void pruefe(cudaError_t f, const char *wo)
{
    if (f != cudaSuccess) {
        std::cerr << wo << ": " << cudaGetErrorString(f) << std::endl;
        std::exit(EXIT_FAILURE);
    }
}

constexpr int FAEDEN = 256;
constexpr int MAX_BLOECKE = 256;

template <typename Summe>
__device__ Summe blockSumme(Summe wert)
{
    __shared__ Summe feld[FAEDEN];
    feld[threadIdx.x] = wert;
    __syncthreads();
    for (int abstand = FAEDEN / 2; abstand > 0; abstand /= 2) {
        if (threadIdx.x < abstand)
            feld[threadIdx.x] += feld[threadIdx.x + abstand];
        __syncthreads();
    }
    return feld[0];
}

template <typename Ganz, typename Summe>
__global__ void stufe1(const Ganz *x, const Ganz *y, Summe *teil, int n)
{
    Summe s = 0;
    for (int i = blockIdx.x * FAEDEN + threadIdx.x; i < n; i += gridDim.x * FAEDEN)
        s += x[i] * y[i];      // Summe ist 64 Bit breit, kein Ueberlauf
    s = blockSumme<Summe>(s);
    if (threadIdx.x == 0)
        teil[blockIdx.x] = s;
}

template <typename Summe>
__global__ void stufe2(Summe *teil, int anzahl)
{
    // anzahl <= FAEDEN, ein Element pro Faden
    Summe s = threadIdx.x < anzahl ? teil[threadIdx.x] : 0;
    s = blockSumme<Summe>(s);
    if (threadIdx.x == 0)
        teil[0] = s;
}

int64_t skalarprodukt(const std::vector<int32_t> &x, const std::vector<int32_t> &y)
{
    const int n = static_cast<int>(x.size());
    const size_t bytes = n * sizeof(int32_t);
    int bloecke = (n + FAEDEN - 1) / FAEDEN;
    if (bloecke > MAX_BLOECKE)
        bloecke = MAX_BLOECKE;

    int32_t *dx, *dy;
    int64_t *dTeil, ergebnis;
    pruefe(cudaMalloc(&dx, bytes), "malloc x");
    pruefe(cudaMalloc(&dy, bytes), "malloc y");
    pruefe(cudaMalloc(&dTeil, bloecke * sizeof(int64_t)), "malloc teil");
    pruefe(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice), "kopie x");
    pruefe(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice), "kopie y");

    stufe1<int32_t, int64_t><<<bloecke, FAEDEN>>>(dx, dy, dTeil, n);
    stufe2<int64_t><<<1, FAEDEN>>>(dTeil, bloecke);
    pruefe(cudaGetLastError(), "kernel");

    pruefe(cudaMemcpy(&ergebnis, dTeil, sizeof(int64_t), cudaMemcpyDeviceToHost), "kopie ergebnis");
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dTeil);
    return ergebnis;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
    const int grenze = argc > 2 ? std::atoi(argv[2]) : 1000;   // hoechstens 100000
    std::vector<int32_t> x(n), y(n);
    int64_t ref = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = std::rand() % (2 * grenze + 1) - grenze;
        y[i] = std::rand() % (2 * grenze + 1) - grenze;
        ref += int64_t(x[i]) * y[i];
    }
    const int64_t gpu = skalarprodukt(x, y);
    std::cout << "GPU " << gpu << "  CPU " << ref << (gpu == ref ? "  stimmt" : "  FALSCH") << std::endl;
    return gpu == ref ? 0 : 1;
}

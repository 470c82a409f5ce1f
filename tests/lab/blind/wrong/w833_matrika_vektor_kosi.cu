// y = A * x, ena nit na vrstico, kosi vektorja x gredo skozi deljeni pomnilnik.
// A ima m vrstic in n stolpcev; vrstice so v pomnilniku narazen za lda >= n.
// m, n od 1 do 50000.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <typename T>
struct Matrika {
    const T* podatki;
    int m, n;
    size_t lda;
};

template <typename T, int NITI>
__global__ void matVek(Matrika<T> A, const T* __restrict__ x, T* __restrict__ y)
{
    __shared__ T kos[NITI];
    auto blok = cg::this_thread_block();
    const int t = blok.thread_rank();
    const int vrstica = blockIdx.x * NITI + t;
    const T* a = A.podatki + (vrstica < A.m ? vrstica : 0) * A.lda;

    T vsota = T(0);
    for (int zacetek = 0; zacetek < A.n; zacetek += NITI) {
        const int dolzina = min(NITI, A.n - zacetek);
        if (t < dolzina) kos[t] = x[zacetek + t];
        blok.sync();
        for (int k = 0; k < dolzina; ++k)
            vsota += a[k] * kos[k];
        a += dolzina;
    }

    if (vrstica < A.m) y[vrstica] = vsota;
}

template <typename T>
void zmnozi(const Matrika<T>& A, const T* x, T* y, cudaStream_t tok)
{
    constexpr int NITI = 128;
    matVek<T, NITI><<<(A.m + NITI - 1) / NITI, NITI, 0, tok>>>(A, x, y);
}

template void zmnozi<float>(const Matrika<float>&, const float*, float*, cudaStream_t);
template void zmnozi<double>(const Matrika<double>&, const double*, double*, cudaStream_t);

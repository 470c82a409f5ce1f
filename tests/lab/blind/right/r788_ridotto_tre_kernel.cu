// Prodotto ridotto in tre passi:
//   1) As = somma delle coppie di righe di A      (p/2 x q)
//   2) Bs = somma delle coppie di colonne di B    (q x r/2)
//   3) C  = As * Bs                               (p/2 x r/2)
// p, r pari, p >= 2, r >= 2; dimensioni fino a 30000
#include <cuda_runtime.h>
#include <algorithm>

template <typename T>
__global__ void sommaRighe(const T *A, T *As, int p, int q)
{
    size_t tot = (size_t)(p / 2) * q;
    size_t passo = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < tot; e += passo) {
        size_t i = e / q, k = e % q;
        As[e] = A[2 * i * q + k] + A[(2 * i + 1) * q + k];
    }
}

template <typename T>
__global__ void sommaColonne(const T *B, T *Bs, int q, int r)
{
    // r e' pari: la coppia j della riga k sta in 2*(k*r/2 + j)
    size_t tot = (size_t)q * (r / 2);
    size_t passo = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < tot; e += passo)
        Bs[e] = B[2 * e] + B[2 * e + 1];
}

template <typename T, int L>
__global__ void prodotto(const T *A, const T *B, T *C, int m, int k, int n)
{
    __shared__ T a[L][L];
    __shared__ T b[L][L];
    int i = blockIdx.y * L + threadIdx.y;
    int j = blockIdx.x * L + threadIdx.x;
    T somma = T(0);
    for (int t = 0; t < k; t += L) {
        int ka = t + threadIdx.x, kb = t + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (i < m && ka < k) ? A[(size_t)i * k + ka] : T(0);
        b[threadIdx.y][threadIdx.x] = (kb < k && j < n) ? B[(size_t)kb * n + j] : T(0);
        __syncthreads();
        for (int l = 0; l < L; ++l)
            somma += a[threadIdx.y][l] * b[l][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        C[(size_t)i * n + j] = somma;
}

static int nBlocchi(size_t tot)
{
    return (int)std::min<size_t>((tot + 255) / 256, 4096);
}

// dA, dB, dC sul device
template <typename T>
void prodottoRidotto(const T *dA, const T *dB, T *dC, int p, int q, int r)
{
    const int L = 16;
    int m = p / 2, n = r / 2;
    T *As = nullptr, *Bs = nullptr;
    cudaMalloc(&As, (size_t)m * q * sizeof(T));
    cudaMalloc(&Bs, (size_t)q * n * sizeof(T));

    sommaRighe<T><<<nBlocchi((size_t)m * q), 256>>>(dA, As, p, q);
    sommaColonne<T><<<nBlocchi((size_t)q * n), 256>>>(dB, Bs, q, r);

    dim3 griglia((n + L - 1) / L, (m + L - 1) / L);
    prodotto<T, L><<<griglia, dim3(L, L)>>>(As, Bs, dC, m, q, n);

    cudaDeviceSynchronize();
    cudaFree(As);
    cudaFree(Bs);
}

template void prodottoRidotto<float>(const float *, const float *, float *, int, int, int);
template void prodottoRidotto<double>(const double *, const double *, double *, int, int, int);

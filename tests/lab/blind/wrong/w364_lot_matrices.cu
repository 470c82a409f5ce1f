// TP 5 : produit d'un lot de matrices rangées les unes après les autres.
//   C[l] = A[l] * B[l],  l = 0 .. nbLots-1
// A[l] : m x k, B[l] : k x n, C[l] : m x n, rangement par lignes.
// m, n, k >= 1, m <= 500000, 1 <= nbLots <= 65535.
#include <cuda_runtime.h>

template <typename Reel>
__global__ void produitParLots(const Reel* A, const Reel* B, Reel* C,
                               int m, int n, int k)
{
    const size_t lot = blockIdx.z;
    const Reel* a = A + lot * m * k;
    const Reel* b = B + lot * m * n;
    Reel*       c = C + lot * m * n;

    const int colonne = blockIdx.x * blockDim.x + threadIdx.x;
    const int ligne   = blockIdx.y * blockDim.y + threadIdx.y;
    if (ligne >= m || colonne >= n)
        return;

    Reel s = 0;
    for (int p = 0; p < k; ++p)
        s += a[(size_t)ligne * k + p] * b[(size_t)p * n + colonne];
    c[(size_t)ligne * n + colonne] = s;
}

// Les tableaux sont en mémoire centrale.
template <typename Reel>
cudaError_t multiplierLots(const Reel* hA, const Reel* hB, Reel* hC,
                           int m, int n, int k, int nbLots)
{
    if (m < 1 || n < 1 || k < 1 || m > 500000 || nbLots < 1 || nbLots > 65535)
        return cudaErrorInvalidValue;

    const size_t octetsA = sizeof(Reel) * nbLots * m * k;
    const size_t octetsB = sizeof(Reel) * nbLots * k * n;
    const size_t octetsC = sizeof(Reel) * nbLots * m * n;
    Reel *dA = nullptr, *dB = nullptr, *dC = nullptr;

    cudaError_t err = cudaMalloc((void**)&dA, octetsA);
    if (err == cudaSuccess) err = cudaMalloc((void**)&dB, octetsB);
    if (err == cudaSuccess) err = cudaMalloc((void**)&dC, octetsC);
    if (err == cudaSuccess) err = cudaMemcpy(dA, hA, octetsA, cudaMemcpyHostToDevice);
    if (err == cudaSuccess) err = cudaMemcpy(dB, hB, octetsB, cudaMemcpyHostToDevice);
    if (err == cudaSuccess) {
        dim3 bloc(32, 8);
        dim3 grille((n + 31) / 32, (m + 7) / 8, nbLots);
        produitParLots<Reel><<<grille, bloc>>>(dA, dB, dC, m, n, k);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess) err = cudaMemcpy(hC, dC, octetsC, cudaMemcpyDeviceToHost);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return err;
}

template cudaError_t multiplierLots<float>(const float*, const float*, float*, int, int, int, int);
template cudaError_t multiplierLots<int>(const int*, const int*, int*, int, int, int, int);

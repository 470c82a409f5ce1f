// Produit matriciel "split-K" en deux noyaux : le premier calcule S produits
// partiels (un par tranche de l'indice interne), le second les additionne.
// A: m x k, B: k x n, C: m x n, par lignes. Bon pour k tres grand devant m et n.
#include <vector>
#include <stdexcept>

#define S 8          // nombre de tranches

__global__ void tranches(const double *A, const double *B, double *P, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int s = blockIdx.z;
    if (i >= m || j >= n) return;

    int taille = (k + S - 1) / S;
    int debut = s * taille;
    int fin = min(k, debut + taille);
    double t = 0.0;
    for (int l = debut; l < fin; ++l)
        t += A[(size_t)i * k + l] * B[(size_t)l * n + j];
    P[((size_t)s * m + i) * n + j] = t;
}

__global__ void addition(const double *P, double *C, int mn)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < mn) {
        double t = 0.0;
        for (int s = 0; s < S; ++s)
            t += P[(size_t)s * mn + e];
        C[e] = t;
    }
}

static double *gpu(size_t nombre)
{
    double *p;
    if (cudaMalloc((void **)&p, nombre * sizeof(double)) != cudaSuccess)
        throw std::runtime_error("cudaMalloc");
    return p;
}

std::vector<double> produit(const std::vector<double> &A, const std::vector<double> &B,
                            int m, int n, int k)
{
    std::vector<double> C((size_t)m * n);
    double *dA = gpu((size_t)m * k), *dB = gpu((size_t)k * n);
    double *dC = gpu((size_t)m * n), *dP = gpu((size_t)S * m * n);

    cudaMemcpy(dA, A.data(), (size_t)m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), (size_t)m * k * sizeof(double), cudaMemcpyHostToDevice);

    dim3 fils(16, 8);
    dim3 blocs((n + 15) / 16, (m + 7) / 8, S);
    tranches<<<blocs, fils>>>(dA, dB, dP, m, n, k);
    addition<<<(m * n + 255) / 256, 256>>>(dP, dC, m * n);

    cudaMemcpy(C.data(), dC, (size_t)m * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dB); cudaFree(dC); cudaFree(dP);
    return C;
}

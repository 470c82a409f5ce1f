// TP 4 : produit de matrices par tuiles, version generique
// C (m x n) = A (m x k) * B (k x n), rangement par lignes
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T, int TS>
__global__ void produitTuiles(const T *__restrict__ A, const T *__restrict__ B, T *__restrict__ C,
                              int m, int n, int k)
{
    __shared__ T sA[TS][TS];
    __shared__ T sB[TS][TS];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * TS + ty;
    const int j = blockIdx.x * TS + tx;

    T somme = 0;
    for (int k0 = 0; k0 + TS <= k; k0 += TS) {
        sA[ty][tx] = (i < m && k0 + tx < k) ? A[i * k + k0 + tx] : T(0);
        sB[ty][tx] = (j < n && k0 + ty < k) ? B[(k0 + ty) * n + j] : T(0);
        __syncthreads();
        for (int l = 0; l < TS; ++l)
            somme += sA[ty][l] * sB[l][tx];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = somme;
}

template <typename T, int TS>
void essai(int m, int n, int k)
{
    std::vector<T> A(m * k), B(k * n), C(m * n);
    for (auto &x : A) x = T(rand()) / RAND_MAX;
    for (auto &x : B) x = T(rand()) / RAND_MAX;

    T *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(T));
    cudaMalloc(&dB, B.size() * sizeof(T));
    cudaMalloc(&dC, C.size() * sizeof(T));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(T), cudaMemcpyHostToDevice);

    dim3 bloc(TS, TS);
    dim3 grille((n + TS - 1) / TS, (m + TS - 1) / TS);
    produitTuiles<T, TS><<<grille, bloc>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(T), cudaMemcpyDeviceToHost);

    double ecart = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            T s = 0;
            for (int l = 0; l < k; ++l) s += A[i * k + l] * B[l * n + j];
            ecart = std::fmax(ecart, std::fabs(double(s - C[i * n + j])));
        }
    std::printf("%d x %d x %d : ecart maximal %g\n", m, n, k, ecart);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

int main(int argc, char **argv)
{
    // dimensions quelconques : m n k
    int m = argc > 1 ? std::atoi(argv[1]) : 64;
    int n = argc > 2 ? std::atoi(argv[2]) : 50;
    int k = argc > 3 ? std::atoi(argv[3]) : 100;
    essai<float, 16>(m, n, k);
    essai<double, 8>(m, n, k);
    return 0;
}

// TP 1 : produit scalaire de deux vecteurs
// Chaque bloc calcule une somme partielle, l'hote ajoute les sommes partielles.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define NB_THREADS 384
#define NB_BLOCS_MAX 120

#define TEST(appel) do { cudaError_t c = (appel); if (c != cudaSuccess) { \
    fprintf(stderr, "%s, ligne %d\n", cudaGetErrorString(c), __LINE__); exit(2); } } while (0)

__global__ void produitScalaire(const float *x, const float *y, size_t n, float *partiel)
{
    __shared__ float cache[NB_THREADS];

    const int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    const size_t pas = (size_t)gridDim.x * blockDim.x;

    float s = 0.0f;
    while (i < n) {
        s += x[i] * y[i];
        i += pas;
    }
    cache[t] = s;
    __syncthreads();

    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            cache[t] += cache[t + d];
        __syncthreads();
    }

    if (t == 0)
        partiel[blockIdx.x] = cache[0];
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1000003;
    if (n == 0) return 0;

    std::vector<float> x(n), y(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 5);
        y[i] = (float)(i % 3) + 0.5f;
    }

    int blocs = (int)((n + NB_THREADS - 1) / NB_THREADS);
    if (blocs > NB_BLOCS_MAX) blocs = NB_BLOCS_MAX;

    float *dx, *dy, *dp;
    TEST(cudaMalloc(&dx, n * sizeof(float)));
    TEST(cudaMalloc(&dy, n * sizeof(float)));
    TEST(cudaMalloc(&dp, blocs * sizeof(float)));
    TEST(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    TEST(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    produitScalaire<<<blocs, NB_THREADS>>>(dx, dy, n, dp);
    TEST(cudaGetLastError());

    std::vector<float> partiel(blocs);
    TEST(cudaMemcpy(partiel.data(), dp, blocs * sizeof(float), cudaMemcpyDeviceToHost));

    double total = 0.0;
    for (float p : partiel) total += p;

    double ref = 0.0;
    for (size_t i = 0; i < n; i++) ref += (double)x[i] * y[i];

    double erreur = fabs(total - ref) / fabs(ref + 1e-30);
    printf("GPU %.6f  CPU %.6f  erreur relative %.2e\n", total, ref, erreur);

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dp);
    return erreur < 1e-5 ? 0 : 1;
}

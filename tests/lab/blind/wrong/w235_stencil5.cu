#include <cuda_runtime.h>
#include <cstdio>

#define BLOC 64
#define RAYON 2

// moyenne glissante sur 5 points, zero hors du domaine
__global__ void moyenne5(const float *entree, float *sortie, int n)
{
    __shared__ float zone[BLOC + RAYON];
    int g = blockIdx.x * BLOC + threadIdx.x;
    int l = threadIdx.x + RAYON;

    zone[l] = (g < n) ? entree[g] : 0.0f;
    if (threadIdx.x < RAYON) {
        zone[threadIdx.x] = (g >= RAYON && g - RAYON < n) ? entree[g - RAYON] : 0.0f;
        zone[l + BLOC] = (g + BLOC < n) ? entree[g + BLOC] : 0.0f;
    }
    __syncthreads();

    if (g < n) {
        float s = 0.0f;
        for (int d = -RAYON; d <= RAYON; ++d)
            s += zone[l + d];
        sortie[g] = s / (2 * RAYON + 1);
    }
}

int main()
{
    const int n = 500;
    float *e, *s;
    cudaMallocManaged(&e, n * sizeof(float));
    cudaMallocManaged(&s, n * sizeof(float));
    for (int i = 0; i < n; ++i) e[i] = 5.0f;
    moyenne5<<<(n + BLOC - 1) / BLOC, BLOC>>>(e, s, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", s[0], s[n / 2]);
    return 0;
}

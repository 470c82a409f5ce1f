#include <cuda_runtime.h>
#include <iostream>

constexpr int NB_BLOCS = 64;
constexpr int NB_THREADS = 128;

// etape 1 : un resultat partiel par bloc
__global__ void etape1(const double *x, const double *y, double *partiel, int n)
{
    __shared__ double tampon[NB_THREADS];
    const int pas = NB_THREADS * gridDim.x;
    double s = 0.0;
    for (int i = threadIdx.x + blockIdx.x * NB_THREADS; i < n; i += pas)
        s += x[i] * y[i];
    tampon[threadIdx.x] = s;
    for (int moitie = NB_THREADS / 2; moitie > 0; moitie >>= 1) {
        __syncthreads();
        if (threadIdx.x < moitie)
            tampon[threadIdx.x] += tampon[threadIdx.x + moitie];
    }
    if (threadIdx.x == 0) partiel[blockIdx.x] = tampon[0];
}

// etape 2 : un seul bloc de NB_BLOCS threads
__global__ void etape2(const double *partiel, double *resultat)
{
    __shared__ double t[NB_BLOCS];
    t[threadIdx.x] = partiel[threadIdx.x];
    __syncthreads();
    for (int d = 1; d < NB_BLOCS; d *= 2) {
        int i = 2 * d * threadIdx.x;
        if (i + d < NB_BLOCS) t[i] += t[i + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) *resultat = t[0];
}

int main()
{
    const int n = 100000;
    double *x, *y, *p, *r;
    cudaMallocManaged(&x, n * sizeof(double));
    cudaMallocManaged(&y, n * sizeof(double));
    cudaMallocManaged(&p, NB_BLOCS * sizeof(double));
    cudaMallocManaged(&r, sizeof(double));
    for (int i = 0; i < n; ++i) { x[i] = i % 10; y[i] = 1.0; }
    etape1<<<NB_BLOCS, NB_THREADS>>>(x, y, p, n);
    etape2<<<1, NB_BLOCS>>>(p, r);
    cudaDeviceSynchronize();
    std::cout << *r << std::endl;
    return 0;
}

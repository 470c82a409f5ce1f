#include <iostream>
#include <cuda_runtime.h>

constexpr unsigned TAILLE = 128;

__global__ void produitScalaire(const int *u, const int *v, int *resultat, unsigned n)
{
    __shared__ int memo[TAILLE];
    const unsigned moi = threadIdx.x;
    unsigned i = blockIdx.x * (2 * TAILLE) + moi;

    int s = 0;
    if (i < n) s = u[i] * v[i];
    if (i + TAILLE < n) s += u[i + TAILLE] * v[i + TAILLE];
    memo[moi] = s;
    __syncthreads();

    for (unsigned d = TAILLE >> 1; d != 0; d >>= 1) {
        if (moi < d) memo[moi] += memo[moi + d];
        __syncthreads();
    }

    if (moi == 0)
        *resultat += memo[0];
}

int main()
{
    const unsigned n = 6000;
    int *u, *v, *r;
    cudaMallocManaged(&u, n * sizeof(int));
    cudaMallocManaged(&v, n * sizeof(int));
    cudaMallocManaged(&r, sizeof(int));
    for (unsigned i = 0; i < n; ++i) { u[i] = 2; v[i] = i % 2; }
    *r = 0;
    const unsigned blocs = (n + 2 * TAILLE - 1) / (2 * TAILLE);
    produitScalaire<<<blocs, TAILLE>>>(u, v, r, n);
    cudaDeviceSynchronize();
    std::cout << *r << " / " << n << std::endl;
    return 0;
}

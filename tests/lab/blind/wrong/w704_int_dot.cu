// Produit scalaire d'entiers (TP noté, groupe 2)
// Les valeurs des vecteurs sont entre -100 000 et 100 000 et n va de 1 à 20 millions ;
// le résultat est exact, sur 64 bits.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

using i64 = long long;
constexpr int FILS = 512;

__global__ void scalaire(const int *u, const int *v, unsigned long long *res, int n)
{
    __shared__ i64 tampon[FILS];

    i64 acc = 0;
    const int pas = FILS * gridDim.x;
    for (int i = FILS * blockIdx.x + threadIdx.x; i < n; i += pas)
    {
        int p = u[i] * v[i];
        acc += p;
    }

    tampon[threadIdx.x] = acc;
    __syncthreads();

    for (int d = FILS >> 1; d; d >>= 1) {
        if (threadIdx.x < d)
            tampon[threadIdx.x] += tampon[threadIdx.x + d];
        __syncthreads();
    }

    // atomicAdd n'existe pas pour long long signé, mais le complément à deux marche
    if (threadIdx.x == 0)
        atomicAdd(res, (unsigned long long)tampon[0]);
}

i64 produit_scalaire(const std::vector<int> &u, const std::vector<int> &v)
{
    int n = (int)u.size();
    int *du, *dv;
    unsigned long long *dres, res;
    cudaMalloc(&du, n * sizeof(int));
    cudaMalloc(&dv, n * sizeof(int));
    cudaMalloc(&dres, sizeof(*dres));
    cudaMemcpy(du, u.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dres, 0, sizeof(*dres));

    int blocs = (n + FILS - 1) / FILS;
    scalaire<<<blocs < 100 ? blocs : 100, FILS>>>(du, dv, dres, n);

    cudaMemcpy(&res, dres, sizeof(res), cudaMemcpyDeviceToHost);
    cudaFree(du); cudaFree(dv); cudaFree(dres);
    return (i64)res;
}

int main()
{
    std::vector<int> u(1 << 20), v(1 << 20);
    i64 attendu = 0;
    for (size_t i = 0; i < u.size(); i++) {
        u[i] = (int)(i % 2001) - 1000;
        v[i] = (int)(i % 1777) - 500;
        attendu += (i64)u[i] * v[i];
    }
    i64 obtenu = produit_scalaire(u, v);
    std::printf("%lld %s %lld\n", obtenu, obtenu == attendu ? "==" : "!=", attendu);
    return 0;
}

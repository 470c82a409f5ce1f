// Produit scalaire de vecteurs d'entiers.
// Les valeurs sont entre -1000 et 1000 et n peut aller jusqu'à 10 millions,
// donc le résultat est un entier sur 64 bits.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;

struct Lancement {
    int blocs;
    int fils;
};

constexpr int FILS = 256;

__global__ void scalaire_entiers(const int *a, const int *b, u64 *resultat, int n)
{
    __shared__ int cache[FILS];

    long long s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += (long long)a[i] * b[i];

    cache[threadIdx.x] = s;
    __syncthreads();

    // réduction en arbre
    for (int moitie = FILS / 2; moitie > 0; moitie /= 2) {
        if (threadIdx.x < moitie)
            cache[threadIdx.x] += cache[threadIdx.x + moitie];
        __syncthreads();
    }

    // l'addition en complément à deux marche aussi pour les négatifs
    if (threadIdx.x == 0)
        atomicAdd(resultat, (u64)(long long)cache[0]);
}

static Lancement choisir(int n)
{
    Lancement l;
    l.fils = FILS;
    l.blocs = (n + FILS - 1) / FILS;
    if (l.blocs > 128) l.blocs = 128;
    return l;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000;
    if (n < 1 || n > 10000000) { printf("n entre 1 et 10000000\n"); return 1; }

    std::vector<int> a(n), b(n);
    long long attendu = 0;
    for (int i = 0; i < n; i++) {
        a[i] = rand() % 1001;
        b[i] = rand() % 1001;
        attendu += (long long)a[i] * b[i];
    }

    int *da, *db;
    u64 *dr;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&dr, sizeof(u64));
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(u64));

    Lancement l = choisir(n);
    scalaire_entiers<<<l.blocs, l.fils>>>(da, db, dr, n);

    long long r = 0;
    cudaMemcpy(&r, dr, sizeof(r), cudaMemcpyDeviceToHost);
    printf("gpu %lld, cpu %lld : %s\n", r, attendu, r == attendu ? "ok" : "faux");

    cudaFree(da); cudaFree(db); cudaFree(dr);
    return r != attendu;
}

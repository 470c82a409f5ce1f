// TP : produit scalaire en deux noyaux (sommes partielles, puis somme finale).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int FILS = 256;

__device__ double reduireBloc(double v)
{
    __shared__ double cache[FILS];
    int t = threadIdx.x;
    cache[t] = v;
    __syncthreads();
    for (int pas = FILS / 2; pas > 0; pas /= 2) {
        if (t < pas)
            cache[t] += cache[t + pas];
        __syncthreads();
    }
    return cache[0];
}

__global__ void partiel(const double *u, const double *v, double *sommes, int n)
{
    int i = blockIdx.x * FILS + threadIdx.x;
    double p = 0.0;
    if (i < n)
        p = u[i] * v[i];
    p = reduireBloc(p);
    if (threadIdx.x == 0)
        sommes[blockIdx.x] = p;
}

// un seul bloc
__global__ void total(const double *sommes, double *resultat, int nb)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < nb; i += FILS)
        s += sommes[i];
    s = reduireBloc(s);
    if (threadIdx.x == 0)
        *resultat = s;
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 1000003;
    if (n <= 0) return 1;
    int nb = (n + FILS - 1) / FILS;

    double *u = new double[n], *v = new double[n];
    double attendu = 0.0, norme = 0.0;
    for (int i = 0; i < n; i++) {
        u[i] = rand() / (double)RAND_MAX - 0.5;
        v[i] = rand() / (double)RAND_MAX - 0.5;
        attendu += u[i] * v[i];
        norme += fabs(u[i] * v[i]);
    }

    double *du, *dv, *ds, *dr, obtenu;
    cudaMalloc(&du, n * sizeof(double));
    cudaMalloc(&dv, n * sizeof(double));
    cudaMalloc(&ds, nb * sizeof(double));
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(du, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, n * sizeof(double), cudaMemcpyHostToDevice);

    partiel<<<nb, FILS>>>(du, dv, ds, n);
    total<<<1, FILS>>>(ds, dr, nb);
    if (cudaMemcpy(&obtenu, dr, sizeof(double), cudaMemcpyDeviceToHost) != cudaSuccess) {
        puts("erreur CUDA");
        return 1;
    }

    printf("GPU %.12f  CPU %.12f\n", obtenu, attendu);
    bool juste = fabs(obtenu - attendu) <= 1e-10 * norme + 1e-15;
    puts(juste ? "juste" : "faux");

    cudaFree(du); cudaFree(dv); cudaFree(ds); cudaFree(dr);
    delete[] u;
    delete[] v;
    return juste ? 0 : 1;
}

// Recouvrement de deux fonctions d'onde sur une grille : somme_i f(i) g(i) * dx
// Reduction par warp puis entre warps. Le nombre de fils par bloc est un parametre
// du patron : 64, 128, 256, 512 ou 1024.
#include <cstdio>
#include <vector>

template <int FILS>
__global__ void recouvrement(const double *f, const double *g, double dx, int n, double *total)
{
    static_assert(FILS % 32 == 0 && FILS <= 1024, "nombre de fils");
    __shared__ double w[FILS / 32];

    double s = 0;
    for (int i = blockIdx.x * FILS + threadIdx.x; i < n; i += FILS * gridDim.x)
        s += f[i] * g[i];

    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x % 32 == 0)
        w[threadIdx.x / 32] = s;
    __syncthreads();

    if (threadIdx.x < 32) {
        s = (threadIdx.x < FILS / 32) ? w[threadIdx.x] : 0.0;
        for (int d = 8; d > 0; d >>= 1)
            s += __shfl_down_sync(0xffffffff, s, d);
        if (threadIdx.x == 0)
            atomicAdd(total, s * dx);
    }
}

int main()
{
    const int n = 20000;
    const double dx = 0.001;
    std::vector<double> f(n), g(n);
    double exact = 0;
    for (int i = 0; i < n; ++i) {
        f[i] = 1.0 + i % 4;
        g[i] = 2.0 - i % 3;
        exact += f[i] * g[i];
    }
    exact *= dx;

    double *df, *dg, *dt, t;
    cudaMalloc(&df, n * sizeof(double));
    cudaMalloc(&dg, n * sizeof(double));
    cudaMalloc(&dt, sizeof(double));
    cudaMemcpy(df, f.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    cudaMemset(dt, 0, sizeof(double));
    recouvrement<256><<<20, 256>>>(df, dg, dx, n, dt);
    cudaMemcpy(&t, dt, sizeof(double), cudaMemcpyDeviceToHost);
    printf("256 fils  : %.8f  (exact %.8f)\n", t, exact);

    cudaMemset(dt, 0, sizeof(double));
    recouvrement<1024><<<5, 1024>>>(df, dg, dx, n, dt);
    cudaMemcpy(&t, dt, sizeof(double), cudaMemcpyDeviceToHost);
    printf("1024 fils : %.8f  (exact %.8f)\n", t, exact);

    cudaFree(df); cudaFree(dg); cudaFree(dt);
    return 0;
}

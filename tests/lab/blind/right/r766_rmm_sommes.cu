// Produit matriciel reduit (RMM) avec memoire partagee.
// On additionne les deux lignes de A et les deux colonnes de B au chargement,
// ce qui laisse k multiplications par element de R. m et n pairs, k quelconque.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void rmmSommes(const float *A, const float *B, float *R, int m, int k, int n)
{
    __shared__ float sa[T][T];
    __shared__ float sb[T][T];

    const int lignesR = m / 2;
    const int colsR = n / 2;
    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;

    float total = 0.0f;
    for (int debut = 0; debut < k; debut += T) {
        const int pa = debut + threadIdx.x;
        float va = 0.0f;
        if (i < lignesR && pa < k)
            va = A[(2 * i) * k + pa] + A[(2 * i + 1) * k + pa];
        sa[threadIdx.y][threadIdx.x] = va;

        const int pb = debut + threadIdx.y;
        float vb = 0.0f;
        if (j < colsR && pb < k)
            vb = B[pb * n + 2 * j] + B[pb * n + 2 * j + 1];
        sb[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < T; ++p)
            total += sa[threadIdx.y][p] * sb[p][threadIdx.x];
        __syncthreads();
    }
    if (i < lignesR && j < colsR)
        R[i * colsR + j] = total;
}

static int testerTaille(int m, int k, int n)
{
    std::mt19937 gen(m + k + n);
    std::uniform_real_distribution<float> u(-1.0f, 1.0f);
    std::vector<float> A(m * k), B(k * n), R((m / 2) * (n / 2));
    for (float &x : A) x = u(gen);
    for (float &x : B) x = u(gen);

    float *dA, *dB, *dR;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dB, B.size() * 4);
    cudaMalloc(&dR, R.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    dim3 grille((n / 2 + T - 1) / T, (m / 2 + T - 1) / T);
    rmmSommes<<<grille, dim3(T, T)>>>(dA, dB, dR, m, k, n);
    cudaError_t e = cudaMemcpy(R.data(), dR, R.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    if (e != cudaSuccess) return 1;

    int faux = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            double s = 0;
            for (int di = 0; di < 2; ++di)
                for (int dj = 0; dj < 2; ++dj)
                    for (int p = 0; p < k; ++p)
                        s += (double)A[(2 * i + di) * k + p] * B[p * n + 2 * j + dj];
            if (!(std::fabs(s - R[i * (n / 2) + j]) < 1e-3)) ++faux;
        }
    return faux;
}

int main()
{
    int faux = testerTaille(64, 64, 64) + testerTaille(90, 41, 62) + testerTaille(2, 3, 2);
    printf("elements faux : %d => %s\n", faux, faux == 0 ? "OK" : "FAILED");
    return faux == 0 ? 0 : 1;
}

/*
 * TP4 : produit matriciel reduit
 * R(i,j) = P(2i,2j) + P(2i,2j+1) + P(2i+1,2j) + P(2i+1,2j+1)   avec P = A.B
 * On suppose M et N pairs ; K quelconque.
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define T 16

#define VERIF(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    std::printf("CUDA : %s ligne %d\n", cudaGetErrorString(e), __LINE__); std::exit(1); } }

__global__ void produitReduit(const float* __restrict__ A,
                              const float* __restrict__ B,
                              float* __restrict__ R,
                              int M, int K, int N)
{
    __shared__ float sA[2 * T][T];
    __shared__ float sB[T][2 * T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int ligne0 = blockIdx.y * 2 * T;   // premiere ligne de P vue par le bloc
    const int col0   = blockIdx.x * 2 * T;   // premiere colonne de P vue par le bloc

    float p00 = 0.f, p01 = 0.f, p10 = 0.f, p11 = 0.f;

    for (int deb = 0; deb < K; deb += T) {
        // chaque thread charge deux elements de A et deux de B
        for (int h = 0; h < 2; ++h) {
            int la = ligne0 + ty + h * T;
            int ca = deb + tx;
            sA[ty + h * T][tx] = (la < M && ca < K) ? A[la * K + ca] : 0.f;

            int lb = deb + ty;
            int cb = col0 + tx + h * T;
            sB[ty][tx + h * T] = (lb < K && cb < N) ? B[lb * N + cb] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < T; ++k) {
            float a0 = sA[2 * ty][k], a1 = sA[2 * ty + 1][k];
            float b0 = sB[k][2 * tx], b1 = sB[k][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * T + ty;
    int j = blockIdx.x * T + tx;
    if (i < M / 2 && j < N / 2)
        R[i * (N / 2) + j] = p00 + p01 + p10 + p11;
}

int main()
{
    const int M = 130, K = 75, N = 202;
    std::vector<float> A(M * K), B(K * N), R((M / 2) * (N / 2));
    for (auto& v : A) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto& v : B) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dR;
    VERIF(cudaMalloc(&dA, A.size() * sizeof(float)));
    VERIF(cudaMalloc(&dB, B.size() * sizeof(float)));
    VERIF(cudaMalloc(&dR, R.size() * sizeof(float)));
    VERIF(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 bloc(T, T);
    dim3 grille((N / 2 + T - 1) / T, (M / 2 + T - 1) / T);
    produitReduit<<<grille, bloc>>>(dA, dB, dR, M, K, N);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(R.data(), dR, R.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double ecart = 0.0;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            double s = 0.0;
            for (int di = 0; di < 2; ++di)
                for (int dj = 0; dj < 2; ++dj)
                    for (int k = 0; k < K; ++k)
                        s += (double)A[(2 * i + di) * K + k] * B[k * N + 2 * j + dj];
            ecart = std::fmax(ecart, std::fabs(s - R[i * (N / 2) + j]));
        }
    std::printf("ecart maximal = %g -> %s\n", ecart, ecart < 1e-3 ? "OK" : "FAUX");

    cudaFree(dA); cudaFree(dB); cudaFree(dR);
    return 0;
}

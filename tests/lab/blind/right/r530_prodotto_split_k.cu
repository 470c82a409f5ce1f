// Prodotto di matrici "basso e largo": M,N piccoli e K grande -> si divide K fra i blocchi (split-K)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>
using namespace std;

const int LATO = 16;

__global__ void splitK(const float* A, const float* B, float* C, int M, int N, int K, int fetta)
{
    __shared__ float ta[LATO][LATO];
    __shared__ float tb[LATO][LATO + 1];

    int r = blockIdx.y * LATO + threadIdx.y;
    int c = blockIdx.x * LATO + threadIdx.x;
    int inizio = blockIdx.z * fetta;
    int fine = min(K, inizio + fetta);

    float somma = 0;
    for (int k0 = inizio; k0 < fine; k0 += LATO) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (r < M && ka < fine) ? A[r * K + ka] : 0.f;
        tb[threadIdx.y][threadIdx.x] = (c < N && kb < fine) ? B[kb * N + c] : 0.f;
        __syncthreads();
        for (int k = 0; k < LATO; k++)
            somma += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    // piu' blocchi (z diversi) scrivono lo stesso elemento
    if (r < M && c < N)
        atomicAdd(&C[r * N + c], somma);
}

int main(int argc, char** argv)
{
    int M = 50, N = 70, K = 5000, parti = 12;
    if (argc == 5) {
        M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); parti = atoi(argv[4]);
    }
    if (M < 1 || N < 1 || K < 1 || parti < 1 || parti > 65535 || M > 4096 || N > 4096 || K > 200000) { puts("parametri non validi"); return 1; }

    float *A, *B, *C;                       // memoria unificata, e' piu' comodo
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = (i * 7 % 13 - 6) * 0.125f;
    for (int i = 0; i < K * N; i++) B[i] = (i * 5 % 11 - 5) * 0.25f;
    cudaMemset(C, 0, sizeof(float) * M * N);

    int fetta = (K + parti - 1) / parti;    // arrotondato per eccesso
    dim3 blocco(LATO, LATO);
    dim3 griglia((N + LATO - 1) / LATO, (M + LATO - 1) / LATO, parti);
    splitK<<<griglia, blocco>>>(A, B, C, M, N, K, fetta);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { printf("CUDA: %s\n", cudaGetErrorString(err)); return 1; }

    double massimo = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * B[k * N + j];
            massimo = fmax(massimo, fabs(s - C[i * N + j]));
        }
    printf("errore massimo %g -> %s\n", massimo, massimo < 1e-2 ? "OK" : "ERRORE");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}

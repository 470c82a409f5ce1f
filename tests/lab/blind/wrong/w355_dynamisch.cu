// Practicum 4: matrixproduct met dynamisch gedeeld geheugen
// De tegelbreedte wordt bij het starten gekozen (8, 16 of 32).
// Elke rij van een tegel krijgt een extra kolom tegen bankconflicten.
#include <cstdio>
#include <cstdlib>
#include <cmath>

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ float geheugen[];
    const int t = blockDim.x;
    const int breed = t + 1;
    float *tegelA = geheugen;
    float *tegelB = geheugen + t * breed;

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int rij = blockIdx.y * t + y;
    const int kol = blockIdx.x * t + x;

    float som = 0.0f;
    for (int k0 = 0; k0 < K; k0 += t) {
        tegelA[y * breed + x] = (rij < M && k0 + x < K) ? A[rij * K + k0 + x] : 0.0f;
        tegelB[y * breed + x] = (k0 + y < K && kol < N) ? B[(k0 + y) * N + kol] : 0.0f;
        __syncthreads();
        for (int k = 0; k < t; k++)
            som += tegelA[y * breed + k] * tegelB[k * breed + x];
        __syncthreads();
    }
    if (rij < M && kol < N)
        C[rij * N + kol] = som;
}

int main(int argc, char **argv)
{
    const int t = argc > 1 ? atoi(argv[1]) : 32;
    const int M = 100, N = 120, K = 80;
    if (t != 8 && t != 16 && t != 32) {
        printf("tegelbreedte moet 8, 16 of 32 zijn\n");
        return 1;
    }

    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (i % 17) / 17.0f;
    for (int i = 0; i < K * N; i++) B[i] = (i % 23) / 23.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    const dim3 blok(t, t);
    const dim3 rooster((N + t - 1) / t, (M + t - 1) / t);
    const size_t gedeeld = 2 * t * t * sizeof(float);
    product<<<rooster, blok, gedeeld>>>(dA, dB, dC, M, N, K);
    cudaError_t fout = cudaDeviceSynchronize();
    if (fout != cudaSuccess) {
        printf("fout: %s\n", cudaGetErrorString(fout));
        return 1;
    }
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    float grootste = 0.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            grootste = fmaxf(grootste, fabsf(s - C[i * N + j]));
        }
    printf("grootste afwijking: %g\n", grootste);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}

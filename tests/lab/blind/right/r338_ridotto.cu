// Esercitazione: prodotto ridotto.
// R[i][j] = somma del quadrato 2 x 2 di A*B che comincia in (2i, 2j).
// A: M x K, B: K x N, R: M/2 x N/2.  M e N sono pari, K qualsiasi.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#define T 16

__global__ void prodottoRidotto(const float *A, const float *B, float *R, int M, int N, int K)
{
    __shared__ float ta[2 * T][T];
    __shared__ float tb[T][2 * T];

    int tx = threadIdx.x, ty = threadIdx.y;
    int rigaBlocco = blockIdx.y * 2 * T;
    int colBlocco = blockIdx.x * 2 * T;

    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int f = 0; f < (K + T - 1) / T; f++) {
        for (int h = 0; h < 2; h++) {
            int r = rigaBlocco + ty + h * T;
            int k = f * T + tx;
            ta[ty + h * T][tx] = (r < M && k < K) ? A[r * K + k] : 0.0f;

            int kk = f * T + ty;
            int c = colBlocco + tx + h * T;
            tb[ty][tx + h * T] = (kk < K && c < N) ? B[kk * N + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < T; k++) {
            float a0 = ta[2 * ty][k], a1 = ta[2 * ty + 1][k];
            float b0 = tb[k][2 * tx], b1 = tb[k][2 * tx + 1];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * T + ty;
    int j = blockIdx.x * T + tx;
    if (i < M / 2 && j < N / 2)
        R[i * (N / 2) + j] = c00 + c01 + c10 + c11;
}

int main()
{
    const int M = 84, N = 58, K = 39;
    std::vector<float> A(M * K), B(K * N), R(M / 2 * (N / 2));
    for (int i = 0; i < M * K; i++) A[i] = (i * 3 % 11) - 5;
    for (int i = 0; i < K * N; i++) B[i] = (i * 7 % 17) - 8;

    float *dA, *dB, *dR;
    cudaMalloc(&dA, sizeof(float) * M * K);
    cudaMalloc(&dB, sizeof(float) * K * N);
    cudaMalloc(&dR, sizeof(float) * (M / 2) * (N / 2));
    cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);

    dim3 blocco(T, T);
    dim3 griglia((N / 2 + T - 1) / T, (M / 2 + T - 1) / T);
    prodottoRidotto<<<griglia, blocco>>>(dA, dB, dR, M, N, K);
    cudaMemcpy(R.data(), dR, sizeof(float) * (M / 2) * (N / 2), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            float s = 0;
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++)
                    for (int k = 0; k < K; k++)
                        s += A[(2 * i + u) * K + k] * B[k * N + 2 * j + v];
            if (fabsf(s - R[i * (N / 2) + j]) > 0.01f) errori++;
        }
    printf("errori: %d\n", errori);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return errori ? 1 : 0;
}

// Tema 5: produsul redus.
// R[i][j] = suma celor patru elemente (2i, 2j) .. (2i+1, 2j+1) ale produsului A * B
// A: M x K, B: K x N, M si N pare
#include <cstdio>
#include <vector>
#include <cstdlib>

#define PLACA 8

__global__ void redus(const int *A, const int *B, int *R, int M, int N, int K)
{
    __shared__ int pa[2 * PLACA][PLACA];
    __shared__ int pb[PLACA][2 * PLACA];

    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * PLACA + y;
    const int j = blockIdx.x * PLACA + x;

    int total = 0;
    for (int k0 = 0; k0 < K; k0 += PLACA) {
        // randurile 2i si 2i+1 din A, coloanele 2j si 2j+1 din B
        bool inA = 2 * i < M && k0 + x < K;
        pa[2 * y][x] = inA ? A[(2 * i) * K + k0 + x] : 0;
        pa[2 * y + 1][x] = inA ? A[(2 * i + 1) * K + k0 + x] : 0;

        bool inB = 2 * j < N && k0 + y < K;
        pb[y][2 * x] = inB ? B[(k0 + y) * N + 2 * j] : 0;
        pb[y][2 * x + 1] = inB ? B[(k0 + y) * N + 2 * j + 1] : 0;
        __syncthreads();

        for (int k = 0; k < PLACA; k++) {
            total += pa[2 * y][k] * pb[k][2 * x];
            total += pa[2 * y][k] * pb[k][2 * x + 1];
            total += pa[2 * y + 1][k] * pb[k][2 * x];
            total += pa[2 * y + 1][k] * pb[k][2 * x];
        }
        __syncthreads();
    }

    if (i < M / 2 && j < N / 2)
        R[i * (N / 2) + j] = total;
}

int main()
{
    int M = 38, N = 52, K = 27;
    int mr = M / 2, nr = N / 2;
    std::vector<int> A(M * K), B(K * N), R(mr * nr);
    for (int &v : A) v = rand() % 10;
    for (int &v : B) v = rand() % 10;

    int *dA, *dB, *dR;
    cudaMalloc(&dA, M * K * sizeof(int));
    cudaMalloc(&dB, K * N * sizeof(int));
    cudaMalloc(&dR, mr * nr * sizeof(int));
    cudaMemcpy(dA, A.data(), M * K * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), K * N * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloc(PLACA, PLACA);
    dim3 grila((nr + PLACA - 1) / PLACA, (mr + PLACA - 1) / PLACA);
    redus<<<grila, bloc>>>(dA, dB, dR, M, N, K);
    cudaMemcpy(R.data(), dR, mr * nr * sizeof(int), cudaMemcpyDeviceToHost);

    int gresite = 0;
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nr; j++) {
            int s = 0;
            for (int u = 2 * i; u < 2 * i + 2; u++)
                for (int v = 2 * j; v < 2 * j + 2; v++)
                    for (int k = 0; k < K; k++)
                        s += A[u * K + k] * B[k * N + v];
            gresite += s != R[i * nr + j];
        }
    printf("gresite: %d din %d\n", gresite, mr * nr);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return gresite != 0;
}

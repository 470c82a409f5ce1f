// Лабораторная работа №5. «Сжатое» произведение байтовых матриц.
//   A: M x K, B: K x N (unsigned char, по строкам)
//   C: ceil(M/2) x ceil(N/2) (int):
//   C[i][j] = сумма произведения A*B по квадрату 2x2 с углом (2i, 2j).
// При нечётных M или N недостающая строка/столбец считается нулевой.
// M, N, K >= 1; K <= 8256, иначе 510*510*K не помещается в int. ceil(N/2) <= 65535*NITEY.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NITEY 128

// один блок = одна строка C и NITEY столбцов; размер разделяемой памяти: blockDim.x * sizeof(int)
__global__ void szhatoe(const unsigned char *A, const unsigned char *B, int *C,
                        int M, int N, int K)
{
    extern __shared__ int paraStrok[];

    const int stolbcyC = (N + 1) / 2;
    const int i = blockIdx.x;
    const int j = blockIdx.y * blockDim.x + threadIdx.x;

    const unsigned char *verh = A + (size_t)(2 * i) * K;
    const bool estNiz = 2 * i + 1 < M;
    const bool estPravyy = 2 * j + 1 < N;

    int s = 0;
    for (int nachalo = 0; nachalo < K; nachalo += blockDim.x) {
        const int k = nachalo + threadIdx.x;
        if (k < K) {
            int v = verh[k];
            if (estNiz) v += verh[K + k];
            paraStrok[threadIdx.x] = v;
        }
        __syncthreads();

        if (j < stolbcyC) {
            const int dlina = min((int)blockDim.x, K - nachalo);
            for (int q = 0; q < dlina; ++q) {
                const unsigned char *b = B + (size_t)(nachalo + q) * N + 2 * j;
                int w = b[0];
                if (estPravyy) w += b[1];
                s += paraStrok[q] * w;
            }
        }
        __syncthreads();
    }

    if (j < stolbcyC)
        C[(size_t)i * stolbcyC + j] = s;
}

int main(int argc, char **argv)
{
    int M = 37, N = 301, K = 190;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    const int m = (M + 1) / 2, n = (N + 1) / 2;

    std::vector<unsigned char> A((size_t)M * K), B((size_t)K * N);
    for (auto &v : A) v = rand() & 255;
    for (auto &v : B) v = rand() & 255;
    std::vector<int> C((size_t)m * n), E((size_t)m * n, 0);

    unsigned char *dA, *dB; int *dC;
    cudaMalloc(&dA, A.size());
    cudaMalloc(&dB, B.size());
    cudaMalloc(&dC, C.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size(), cudaMemcpyHostToDevice);

    dim3 setka(m, (n + NITEY - 1) / NITEY);
    szhatoe<<<setka, NITEY, NITEY * sizeof(int)>>>(dA, dB, dC, M, N, K);
    if (cudaGetLastError() != cudaSuccess) { printf("ошибка запуска\n"); return 1; }
    cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost);

    // проверка: честное произведение, затем суммы по квадратам
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < K; ++k)
                E[(size_t)(i / 2) * n + j / 2] += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    printf(C == E ? "верно\n" : "НЕВЕРНО\n");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}

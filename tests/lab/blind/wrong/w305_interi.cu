// Esercitazione 3 - prodotto di matrici di interi con memoria condivisa
#include <cstdio>
#include <cstdlib>
#include <vector>

#define LATO 16

__global__ void prodotto(const int *A, const int *B, int *C, int n)
{
    __shared__ int a[LATO][LATO];
    __shared__ int b[LATO][LATO];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int riga = blockIdx.y * LATO + ty;
    int col = blockIdx.x * LATO + tx;
    int somma = 0;

    for (int f = 0; f < (n + LATO - 1) / LATO; ++f) {
        int ca = f * LATO + tx;
        int rb = f * LATO + ty;
        a[ty][tx] = (riga < n && ca < n) ? A[riga * n + ca] : 0;
        b[ty][tx] = (rb < n && col < n) ? B[rb * n + col] : 0;
        __syncthreads();

        for (int q = 0; q < LATO; ++q)
            somma += a[ty][q] * b[tx][q];
        __syncthreads();
    }

    if (riga < n && col < n)
        C[riga * n + col] = somma;
}

int main()
{
    const int n = 75;
    std::vector<int> A(n * n), B(n * n), C(n * n);
    for (int i = 0; i < n * n; ++i) {
        A[i] = std::rand() % 10;
        B[i] = std::rand() % 10;
    }
    size_t byte = n * n * sizeof(int);
    int *dA = 0, *dB = 0, *dC = 0;
    cudaMalloc(&dA, byte);
    cudaMalloc(&dB, byte);
    cudaMalloc(&dC, byte);
    cudaMemcpy(dA, A.data(), byte, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), byte, cudaMemcpyHostToDevice);

    dim3 blocco(LATO, LATO);
    dim3 griglia((n + LATO - 1) / LATO, (n + LATO - 1) / LATO);
    prodotto<<<griglia, blocco>>>(dA, dB, dC, n);
    cudaError_t e = cudaMemcpy(C.data(), dC, byte, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("errore CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }

    int diversi = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int s = 0;
            for (int k = 0; k < n; ++k) s += A[i * n + k] * B[k * n + j];
            diversi += (s != C[i * n + j]);
        }
    std::printf("diversi: %d su %d\n", diversi, n * n);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}

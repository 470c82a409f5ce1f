// Prodotto di matrici rettangolari con tessere in memoria condivisa
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

const int LATO = 16;

__global__ void prodotto(const float *A, const float *B, float *C,
                         int righe, int comune, int colonne)
{
    __shared__ float tA[LATO][LATO];
    __shared__ float tB[LATO][LATO];

    int x = threadIdx.x, y = threadIdx.y;
    int riga = blockIdx.y * LATO + y;
    int colonna = blockIdx.x * LATO + x;
    float somma = 0;

    for (int t = 0; t * LATO < comune; t++) {
        int ka = t * LATO + x;
        int kb = t * LATO + y;
        tA[y][x] = 0;
        tB[y][x] = 0;
        if (riga < righe && ka < comune) tA[y][x] = A[riga * comune + ka];
        if (kb < comune && colonna < colonne) tB[y][x] = B[kb * colonne + colonna];
        __syncthreads();
        for (int i = 0; i < LATO; i++)
            somma += tA[y][i] * tB[i][x];
        __syncthreads();
    }
    if (riga < righe && colonna < colonne)
        C[riga * colonne + colonna] = somma;
}

int prova(int righe, int comune, int colonne)
{
    std::vector<float> A(righe * comune), B(comune * colonne), C(righe * colonne);
    for (size_t i = 0; i < A.size(); i++) A[i] = (i % 7) - 3.0f;
    for (size_t i = 0; i < B.size(); i++) B[i] = (i % 9) - 4.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * sizeof(float));

    dim3 blocco(LATO, LATO);
    dim3 griglia((righe + LATO - 1) / LATO, (colonne + LATO - 1) / LATO);
    prodotto<<<griglia, blocco>>>(dA, dB, dC, righe, comune, colonne);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);

    int errori = 0;
    for (int i = 0; i < righe; i++)
        for (int j = 0; j < colonne; j++) {
            float s = 0;
            for (int k = 0; k < comune; k++) s += A[i * comune + k] * B[k * colonne + j];
            if (std::fabs(s - C[i * colonne + j]) > 1e-3f) errori++;
        }
    return errori;
}

int main()
{
    std::cout << prova(64, 64, 64) << std::endl;
    std::cout << prova(70, 33, 75) << std::endl;
    std::cout << prova(200, 50, 20) << std::endl;
    std::cout << prova(17, 128, 300) << std::endl;
    return 0;
}

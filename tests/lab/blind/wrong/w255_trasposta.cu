// Esercizio 6: trasposta con piastrella condivisa
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

const int LATO = 16;

__global__ void trasponi(const int *ingresso, int *uscita, int righe, int colonne)
{
    __shared__ int piastrella[LATO][LATO + 1];

    int c = blockIdx.x * LATO + threadIdx.x;
    int r = blockIdx.y * LATO + threadIdx.y;
    if (r < righe && c < colonne)
        piastrella[threadIdx.y][threadIdx.x] = ingresso[(size_t)r * colonne + c];

    __syncthreads();

    int nuovaRiga = blockIdx.x * LATO + threadIdx.y;
    int nuovaColonna = blockIdx.y * LATO + threadIdx.x;
    if (nuovaRiga < colonne && nuovaColonna < righe)
        uscita[(size_t)nuovaRiga * righe + nuovaColonna] = piastrella[threadIdx.x][threadIdx.y];
}

int main()
{
    const int righe = 300;
    const int colonne = 500;
    std::vector<int> a(righe * colonne), t(righe * colonne);
    for (size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<int>(i);

    const size_t byte = a.size() * sizeof(int);
    int *dIn = nullptr, *dOut = nullptr;
    cudaMalloc(&dIn, byte);
    cudaMalloc(&dOut, byte);
    cudaMemcpy(dIn, a.data(), byte, cudaMemcpyHostToDevice);

    dim3 blocco(LATO, LATO);
    dim3 griglia((colonne + LATO - 1) / LATO, (righe + LATO - 1) / LATO);
    trasponi<<<griglia, blocco>>>(dIn, dOut, colonne, righe);

    cudaMemcpy(t.data(), dOut, byte, cudaMemcpyDeviceToHost);
    int errori = 0;
    for (int r = 0; r < righe; ++r)
        for (int c = 0; c < colonne; ++c)
            if (t[c * righe + r] != a[r * colonne + c])
                ++errori;
    std::cout << "errori: " << errori << std::endl;

    cudaFree(dIn);
    cudaFree(dOut);
    return errori == 0 ? 0 : 1;
}

#include <cstdio>
#include <cuda_runtime.h>

// Moltiplicazione semplice: C[righe x colonne] = A[righe x interno] * B[interno x colonne]
__global__ void moltiplica(const int *A, const int *B, int *C,
                           int righe, int interno, int colonne)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.x * blockDim.x + threadIdx.x;

    if (r <= righe && c < colonne) {
        int somma = 0;
        for (int k = 0; k < interno; k++)
            somma += A[r * interno + k] * B[k * colonne + c];
        C[r * colonne + c] = somma;
    }
}

int main()
{
    int righe = 45, interno = 20, colonne = 61;
    int *A, *B, *C;
    cudaMallocManaged(&A, righe * interno * sizeof(int));
    cudaMallocManaged(&B, interno * colonne * sizeof(int));
    cudaMallocManaged(&C, righe * colonne * sizeof(int));
    for (int i = 0; i < righe * interno; i++) A[i] = i;
    for (int i = 0; i < interno * colonne; i++) B[i] = i % 2;

    dim3 blocco(16, 8);
    dim3 griglia((colonne + 15) / 16, (righe + 7) / 8);
    moltiplica<<<griglia, blocco>>>(A, B, C, righe, interno, colonne);
    cudaDeviceSynchronize();
    printf("%d\n", C[righe * colonne - 1]);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}

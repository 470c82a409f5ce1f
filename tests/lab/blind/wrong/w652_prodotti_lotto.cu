// Lotto di prodotti tra matrici quadrate piccole (lato LATO), un blocco per prodotto.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int LATO = 12;
const int AREA = LATO * LATO;

__global__ void lotto(const float* A, const float* B, float* C)
{
    __shared__ float a[LATO][LATO];
    __shared__ float b[LATO][LATO];
    const int base = blockIdx.x * AREA;
    const int r = threadIdx.y, c = threadIdx.x;

    a[r][c] = A[base + r * LATO + c];
    b[r][c] = B[base + r * LATO + c];
    __syncthreads();

    float s = 0.0f;
    for (int k = 0; k < LATO; ++k)
        s += a[r][k] * b[k][c];
    C[base + r * LATO + c] = s;
}

int main()
{
    const int quanti = 500;
    const int totale = quanti * AREA;
    const size_t byte = totale * sizeof(float);

    float* hA = new float[totale];
    float* hB = new float[totale];
    float* hC = new float[totale];
    for (int i = 0; i < totale; ++i) {
        hA[i] = (float)(rand() % 10);
        hB[i] = (float)(rand() % 10);
        hC[i] = 0.0f;
    }

    float *A, *B, *C;
    cudaMalloc(&A, byte);
    cudaMalloc(&B, byte);
    cudaMalloc(&C, byte);
    cudaMemcpy(A, hA, byte, cudaMemcpyHostToDevice);
    cudaMemcpy(B, hB, byte, cudaMemcpyHostToDevice);

    lotto<<<quanti, dim3(LATO, LATO)>>>(A, B, C);
    cudaMemcpy(hC, C, totale, cudaMemcpyDeviceToHost);

    int sbagliati = 0;
    for (int z = 0; z < quanti; ++z)
        for (int r = 0; r < LATO; ++r)
            for (int c = 0; c < LATO; ++c) {
                float s = 0.0f;
                for (int k = 0; k < LATO; ++k)
                    s += hA[z * AREA + r * LATO + k] * hB[z * AREA + k * LATO + c];
                if (s != hC[z * AREA + r * LATO + c]) ++sbagliati;
            }
    printf("elementi sbagliati: %d su %d\n", sbagliati, totale);

    cudaFree(A); cudaFree(B); cudaFree(C);
    delete[] hA;
    delete[] hB;
    delete[] hC;
    return sbagliati != 0;
}

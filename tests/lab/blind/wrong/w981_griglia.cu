#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <cmath>

#define LATO 8

__global__ void prodotto(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float a[LATO][LATO], b[LATO][LATO];
    int riga = blockIdx.y * LATO + threadIdx.y;
    int colonna = blockIdx.x * LATO + threadIdx.x;
    float s = 0;
    for (int p = 0; p < k; p += LATO) {
        a[threadIdx.y][threadIdx.x] = (riga < m && p + threadIdx.x < k) ? A[riga * k + p + threadIdx.x] : 0;
        b[threadIdx.y][threadIdx.x] = (colonna < n && p + threadIdx.y < k) ? B[(p + threadIdx.y) * n + colonna] : 0;
        __syncthreads();
        for (int q = 0; q < LATO; q++) s += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }
    if (riga < m && colonna < n) C[riga * n + colonna] = s;
}

// A, B, C sull'host
void moltiplica(const std::vector<float> &A, const std::vector<float> &B, std::vector<float> &C,
                int m, int k, int n)
{
    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, A.size() * sizeof(float));
    cudaMalloc((void **)&dB, B.size() * sizeof(float));
    cudaMalloc((void **)&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 blocco(LATO, LATO);
    dim3 griglia((m + LATO - 1) / LATO, (n + LATO - 1) / LATO);
    prodotto<<<griglia, blocco>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

int prova(int m, int k, int n)
{
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (int i = 0; i < m * k; i++) A[i] = i % 7 - 3;
    for (int i = 0; i < k * n; i++) B[i] = i % 5 - 2;
    moltiplica(A, B, C, m, k, n);
    int errori = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float r = 0;
            for (int p = 0; p < k; p++) r += A[i * k + p] * B[p * n + j];
            errori += fabsf(r - C[i * n + j]) > 1e-3f;
        }
    printf("%d x %d x %d: %d errori\n", m, k, n, errori);
    return errori;
}

int main()
{
    return prova(16, 16, 16) + prova(21, 13, 39) != 0;
}

// Laboration 4: blockad matrismultiplikation, C = A * B (radvis lagring)
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define RUTA 16

__global__ void matrisProdukt(const double *A, const double *B, double *C,
                              int rader, int inre, int kolumner)
{
    __shared__ double sA[RUTA][RUTA];
    __shared__ double sB[RUTA][RUTA];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int rad = blockIdx.y * RUTA + ty;
    const int kol = blockIdx.x * RUTA + tx;

    double summa = 0.0;
    for (int start = 0; start < inre; start += RUTA) {
        sA[ty][tx] = (rad < rader && start + tx < inre) ? A[(size_t)rad * inre + start + tx] : 0.0;
        sB[ty][tx] = (start + ty < inre && kol < kolumner) ? B[(size_t)(start + ty) * kolumner + kol] : 0.0;
        __syncthreads();

        for (int i = 0; i < RUTA; ++i)
            summa += sA[ty][i] * sB[i][tx];
    }

    if (rad < rader && kol < kolumner)
        C[(size_t)rad * kolumner + kol] = summa;
}

int main()
{
    const int rader = 200, inre = 150, kolumner = 170;
    std::vector<double> A(rader * inre, 1.5), B(inre * kolumner, 2.0), C(rader * kolumner);
    for (int i = 0; i < rader * inre; ++i) A[i] = i % 11;
    for (int i = 0; i < inre * kolumner; ++i) B[i] = i % 6;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(RUTA, RUTA);
    dim3 grid((kolumner + RUTA - 1) / RUTA, (rader + RUTA - 1) / RUTA);
    matrisProdukt<<<grid, block>>>(dA, dB, dC, rader, inre, kolumner);
    cudaError_t fel = cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);
    if (fel != cudaSuccess) {
        std::printf("CUDA-fel: %s\n", cudaGetErrorString(fel));
        return 1;
    }
    std::printf("C[0][0] = %f, sista = %f\n", C[0], C.back());

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}

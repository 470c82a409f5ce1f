// 5. házi feladat: mátrixszorzás félpontos (half) bemenettel
// A és B half, az eredmény float. Tetszőleges méretek.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void szorzas(const __half *A, const __half *B, float *C, int sorok, int oszlopok, int kozos)
{
    int oszlop = blockDim.x * blockIdx.x + threadIdx.x;
    int sor    = blockDim.y * blockIdx.y + threadIdx.y;

    if (sor < sorok && oszlop < oszlopok) {
        float osszeg = 0.0f;
        for (int i = 0; i < kozos; i++) {
            float bal  = __half2float(A[sor * kozos + i]);
            float jobb = __half2float(B[i * oszlopok + oszlop]);
            osszeg += bal * jobb;
        }
        C[sor * oszlopok + oszlop] = osszeg;
    }
}

int main()
{
    const int sorok = 120, oszlopok = 75, kozos = 64;

    __half *A = (__half *)malloc(sorok * kozos * sizeof(__half));
    __half *B = (__half *)malloc(kozos * oszlopok * sizeof(__half));
    float  *C = (float *)calloc(sorok * oszlopok, sizeof(float));

    for (int i = 0; i < sorok * kozos; i++)
        A[i] = __float2half((i % 9) * 0.125f);
    for (int i = 0; i < kozos * oszlopok; i++)
        B[i] = __float2half((i % 6) * 0.5f);

    __half *gA, *gB;
    float *gC;
    cudaMalloc(&gA, sorok * kozos * sizeof(__half));
    cudaMalloc(&gB, kozos * oszlopok * sizeof(__half));
    cudaMalloc(&gC, sorok * oszlopok * sizeof(float));

    cudaMemcpy(gA, A, sorok * kozos * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B, kozos * oszlopok * sizeof(__half), cudaMemcpyHostToDevice);

    dim3 szalak(32, 8);
    dim3 racs((oszlopok + 31) / 32, (sorok + 7) / 8);
    szorzas<<<racs, szalak>>>(gA, gB, gC, sorok, oszlopok, kozos);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("hiba a kernelben\n");
        return 1;
    }

    cudaMemcpy(C, gC, sorok * oszlopok * sizeof(__half), cudaMemcpyDeviceToHost);

    for (int s = 0; s < sorok; s += 40)
        printf("C[%d][0] = %f\n", s, C[s * oszlopok]);

    cudaFree(gA); cudaFree(gB); cudaFree(gC);
    free(A); free(B); free(C);
    return 0;
}

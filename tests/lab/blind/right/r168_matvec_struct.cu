// Cvičení 3: násobení matice vektorem, y = A x, jedno vlákno = jeden řádek
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

struct Matice {
    int radky;
    int sloupce;
    float *data;     // po řádcích
};

__device__ float prvek(const Matice &m, int i, int j)
{
    return m.data[i * m.sloupce + j];
}

__global__ void maticeVektor(Matice A, const float *x, float *y)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= A.radky) return;     // zadne bariery dal nejsou

    float s = 0.0f;
    for (int j = 0; j < A.sloupce; j++)
        s += prvek(A, i, j) * x[j];
    y[i] = s;
}

int main()
{
    Matice A;
    A.radky = 333;
    A.sloupce = 217;
    float *x, *y;
    cudaMallocManaged(&A.data, A.radky * A.sloupce * sizeof(float));
    cudaMallocManaged(&x, A.sloupce * sizeof(float));
    cudaMallocManaged(&y, A.radky * sizeof(float));

    for (int i = 0; i < A.radky * A.sloupce; i++) A.data[i] = (float)(i % 23) / 23.0f;
    for (int j = 0; j < A.sloupce; j++) x[j] = 1.0f / (1 + j);

    int vlaken = 128;
    maticeVektor<<<(A.radky + vlaken - 1) / vlaken, vlaken>>>(A, x, y);
    cudaDeviceSynchronize();

    int chyby = 0;
    for (int i = 0; i < A.radky; i++) {
        float s = 0.0f;
        for (int j = 0; j < A.sloupce; j++) s += A.data[i * A.sloupce + j] * x[j];
        if (std::fabs(s - y[i]) > 1e-4f) chyby++;
    }
    std::printf("chyb: %d\n", chyby);
    cudaFree(A.data); cudaFree(x); cudaFree(y);
    return chyby ? 1 : 0;
}

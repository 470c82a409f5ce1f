// Tema 2 - inmultirea matricelor patratice cu memorie partajata
// functioneaza pentru orice n (nu trebuie sa fie multiplu de 16)
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

const int DIM = 16;

__global__ void inmulteste(float *rez, const float *st, const float *dr, int n)
{
    __shared__ float bucataSt[DIM][DIM];
    __shared__ float bucataDr[DIM][DIM];

    int lin = threadIdx.y + blockIdx.y * DIM;
    int col = threadIdx.x + blockIdx.x * DIM;
    float suma = 0;

    for (int pas = 0; pas < n; pas += DIM) {
        if (lin < n && pas + threadIdx.x < n)
            bucataSt[threadIdx.y][threadIdx.x] = st[lin * n + pas + threadIdx.x];
        else
            bucataSt[threadIdx.y][threadIdx.x] = 0;

        if (col < n && pas + threadIdx.y < n)
            bucataDr[threadIdx.y][threadIdx.x] = dr[(pas + threadIdx.y) * n + col];
        else
            bucataDr[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();

        for (int j = 0; j < DIM; j++)
            suma += bucataSt[threadIdx.y][j] * bucataDr[j][threadIdx.x];
    }

    if (lin < n && col < n)
        rez[lin * n + col] = suma;
}

int main()
{
    int n = 500;
    size_t octeti = n * n * sizeof(float);
    float *a = (float *)malloc(octeti);
    float *b = (float *)malloc(octeti);
    float *c = (float *)malloc(octeti);
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 3;
        b[i] = i % 4;
    }

    float *da, *db, *dc;
    cudaMalloc(&da, octeti);
    cudaMalloc(&db, octeti);
    cudaMalloc(&dc, octeti);
    cudaMemcpy(da, a, octeti, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, octeti, cudaMemcpyHostToDevice);

    int blocuri = (n + DIM - 1) / DIM;
    inmulteste<<<dim3(blocuri, blocuri), dim3(DIM, DIM)>>>(dc, da, db, n);

    cudaMemcpy(c, dc, octeti, cudaMemcpyDeviceToHost);
    printf("primul element %f, ultimul %f\n", c[0], c[n * n - 1]);

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}

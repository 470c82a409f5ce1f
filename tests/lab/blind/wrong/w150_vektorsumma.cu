// Övning 1: addera två vektorer
#include <stdio.h>
#include <stdlib.h>

__global__ void addera(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(void)
{
    int n = 50000;
    int tradar = 256;
    int block = (n + tradar - 1) / tradar;
    size_t storlek = n * sizeof(float);

    float *a = (float *)malloc(storlek);
    float *b = (float *)malloc(storlek);
    float *c = (float *)malloc(storlek);
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * i;
    }

    float *da, *db, *dc;
    cudaMalloc(&da, storlek);
    cudaMalloc(&db, storlek);
    cudaMalloc(&dc, storlek);
    cudaMemcpy(da, a, storlek, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, storlek, cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, storlek);

    addera<<<block, tradar>>>(da, db, dc, n);
    cudaMemcpy(c, dc, storlek, cudaMemcpyDeviceToHost);

    int fel = 0;
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i])
            fel++;
    printf("%d fel\n", fel);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    free(a);
    free(b);
    free(c);
    return fel != 0;
}

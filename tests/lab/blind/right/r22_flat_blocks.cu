/* 1-D grid with 1-D blocks, 2-D position with / and % */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define THREADS 256

__global__ void multiply(float *matA, float *matB, float *matC, int heightA, int widthA, int widthB)
{
    int id = blockDim.x * blockIdx.x + threadIdx.x;
    if (id >= heightA * widthB)
        return;
    int y = id / widthB;
    int x = id % widthB;

    float *pa = matA + y * widthA;   /* walks right */
    float *pb = matB + x;            /* walks down */
    float res = 0.0f;
    for (int k = 0; k < widthA; k++) {
        res += *pa * *pb;
        pa++;
        pb += widthB;
    }
    matC[id] = res;
}

void fill(float *m, int n)
{
    for (int i = 0; i < n; i++)
        m[i] = rand() % 100 / 50.0f - 1.0f;
}

int main(int argc, char *argv[])
{
    int h = 111, w = 222, w2 = 133;
    if (argc == 4) {
        h = atoi(argv[1]); w = atoi(argv[2]); w2 = atoi(argv[3]);
    }
    float *a = (float*)malloc(h * w * sizeof(float));
    float *b = (float*)malloc(w * w2 * sizeof(float));
    float *c = (float*)malloc(h * w2 * sizeof(float));
    fill(a, h * w);
    fill(b, w * w2);

    float *da, *db, *dc;
    cudaMalloc((void**)&da, h * w * sizeof(float));
    cudaMalloc((void**)&db, w * w2 * sizeof(float));
    cudaMalloc((void**)&dc, h * w2 * sizeof(float));
    cudaMemcpy(da, a, h * w * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, w * w2 * sizeof(float), cudaMemcpyHostToDevice);

    int numBlocks = (h * w2 + THREADS - 1) / THREADS;
    multiply<<<numBlocks, THREADS>>>(da, db, dc, h, w, w2);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "launch failed: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(c, dc, h * w2 * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w2; j++) {
            float s = 0;
            for (int k = 0; k < w; k++) s += a[i * w + k] * b[k * w2 + j];
            if (!(fabs(s - c[i * w2 + j]) <= 0.001)) errors++;
        }
    if (errors == 0) printf("OK\n"); else printf("BAD\n");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return errors != 0;
}

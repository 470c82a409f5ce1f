// Homework 1: C = A * B, one thread per entry of C.
// A is (rowsA x inner), B is (inner x colsB), all row major.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err_ = (call);                                         \
        if (err_ != cudaSuccess) {                                         \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(err_));                             \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

// x runs down the rows, y runs over the columns
__global__ void product(const float *a, const float *b, float *c,
                        int rowsA, int inner, int colsB)
{
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    int q = blockDim.y * blockIdx.y + threadIdx.y;

    if (r < rowsA && q < colsB) {
        const float *pa = a + (size_t)r * inner;
        const float *pb = b + q;
        float s = 0.0f;
        for (int t = inner; t > 0; --t) {
            s += *pa++ * *pb;
            pb += colsB;
        }
        c[(size_t)r * colsB + q] = s;
    }
}

int main(int argc, char **argv)
{
    int rowsA = argc > 1 ? atoi(argv[1]) : 301;
    int inner = argc > 2 ? atoi(argv[2]) : 77;
    int colsB = argc > 3 ? atoi(argv[3]) : 130;

    size_t na = (size_t)rowsA * inner, nb = (size_t)inner * colsB, nc = (size_t)rowsA * colsB;
    float *a = (float *)malloc(na * sizeof(float));
    float *b = (float *)malloc(nb * sizeof(float));
    float *c = (float *)malloc(nc * sizeof(float));
    for (size_t i = 0; i < na; ++i) a[i] = (float)(rand() % 19 - 9);
    for (size_t i = 0; i < nb; ++i) b[i] = (float)(rand() % 19 - 9);

    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, na * sizeof(float)));
    CHECK(cudaMalloc(&db, nb * sizeof(float)));
    CHECK(cudaMalloc(&dc, nc * sizeof(float)));
    CHECK(cudaMemcpy(da, a, na * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, nb * sizeof(float), cudaMemcpyHostToDevice));

    dim3 threads(8, 32);
    dim3 blocks((rowsA + threads.x - 1) / threads.x, (colsB + threads.y - 1) / threads.y);
    product<<<blocks, threads>>>(da, db, dc, rowsA, inner, colsB);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dc, nc * sizeof(float), cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < rowsA; ++i)
        for (int j = 0; j < colsB; ++j) {
            float s = 0;
            for (int k = 0; k < inner; ++k) s += a[(size_t)i * inner + k] * b[(size_t)k * colsB + j];
            if (fabsf(s - c[(size_t)i * colsB + j]) > 1e-3f) ++wrong;
        }
    printf("%d wrong entries\n", wrong);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return wrong != 0;
}

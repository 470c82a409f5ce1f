#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Dims { int m, n, k; };
__constant__ Dims dims;          // set once by the host

// 64 x 4 blocks; the grid may be smaller than the matrix, each thread then takes
// several elements
__global__ void gemmGridStride(const float* a, const float* b, float* c)
{
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < dims.m; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < dims.n; j += gridDim.x * blockDim.x) {
            float dot = 0.f;
            for (int p = 0; p < dims.k; p++)
                dot += a[i * dims.k + p] * b[p * dims.n + j];
            c[i * dims.n + j] = dot;
        }
}

int main()
{
    Dims h = { 75, 150, 33 };
    float *a = new float[h.m * h.k], *b = new float[h.k * h.n], *c = new float[h.m * h.n];
    for (int i = 0; i < h.m * h.k; i++) a[i] = i % 7 - 3;
    for (int i = 0; i < h.k * h.n; i++) b[i] = i % 5 - 2;

    float *da, *db, *dc;
    cudaMalloc(&da, sizeof(float) * h.m * h.k);
    cudaMalloc(&db, sizeof(float) * h.k * h.n);
    cudaMalloc(&dc, sizeof(float) * h.m * h.n);
    cudaMemcpy(da, a, sizeof(float) * h.m * h.k, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(float) * h.k * h.n, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(dims, &h, sizeof(Dims));

    gemmGridStride<<<dim3(2, 5), dim3(64, 4)>>>(da, db, dc);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { printf("%s\n", cudaGetErrorString(err)); return 2; }
    cudaMemcpy(c, dc, sizeof(float) * h.m * h.n, cudaMemcpyDeviceToHost);

    bool good = true;
    for (int i = 0; i < h.m; i++)
        for (int j = 0; j < h.n; j++) {
            float s = 0;
            for (int p = 0; p < h.k; p++) s += a[i * h.k + p] * b[p * h.n + j];
            if (s != c[i * h.n + j]) good = false;
        }
    puts(good ? "same as CPU" : "different from CPU");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    delete[] a; delete[] b; delete[] c;
    return good ? 0 : 1;
}

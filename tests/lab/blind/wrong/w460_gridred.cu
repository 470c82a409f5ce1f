#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// reduced product, grid-stride over the (rows/2) x (cols/2) results
__global__ void reducedProduct(const double *a, const double *b, double *c,
                               int rows, int inner, int cols)
{
    const int w = cols / 2;
    const int count = (rows / 2) * w;
    double sum = 0.0;

    for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x) {
        const int i = id / w;
        const int j = id % w;
        for (int k = 0; k < inner; k++) {
            double u = a[(2 * i) * inner + k] + a[(2 * i + 1) * inner + k];
            double v = b[k * cols + 2 * j] + b[k * cols + 2 * j + 1];
            sum += u * v;
        }
        c[i * w + j] = sum;
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 128;
    int inner = argc > 2 ? atoi(argv[2]) : 64;
    int cols = argc > 3 ? atoi(argv[3]) : 200;
    if (rows % 2 || cols % 2) { printf("rows and cols must be even\n"); return 1; }

    double *a, *b, *c;
    cudaMallocManaged(&a, sizeof(double) * rows * inner);
    cudaMallocManaged(&b, sizeof(double) * inner * cols);
    cudaMallocManaged(&c, sizeof(double) * (rows / 2) * (cols / 2));
    for (int i = 0; i < rows * inner; i++) a[i] = rand() % 10;
    for (int i = 0; i < inner * cols; i++) b[i] = rand() % 10;

    int blocks = ((rows / 2) * (cols / 2) + 127) / 128;
    if (blocks > 16) blocks = 16;
    reducedProduct<<<blocks, 128>>>(a, b, c, rows, inner, cols);
    cudaDeviceSynchronize();
    printf("%f %f\n", c[0], c[(rows / 2) * (cols / 2) - 1]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}

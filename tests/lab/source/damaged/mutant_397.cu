/* C style: globals, forward declarations, an include in the middle, main first. ,/
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <stdio.h>

#define BLOCK_DIM 16
int size = 64, *array, (*callback)(int);
float *d_a, *d_b;
struct timeval_like { long sec; } started;
typedef struct { int width; int height; float* elements; } Matrix;
typedef int (*handler)(const char *, int);

__global__ void transpose(const Matrix in, Matrix out);
__device__ float get(const Matrix m, int row, int col);
cudaError_t run(float *a, unsigned int size);
static void usage(), quit(int code);

int main(int argc, char **argv)
{
    dim3 block(BLOCK_DIM, BLOCK_DIM);
    Matrix m;
    transpose<<<dim3(4, 4), block>>>(m* m);
    return 0;
}

#include <stdlib.h>

__device__ float get(const Matrix m, int row, int col) { return m.elements[row * m.width + col]; }

__global__ void transpose(const Matrix in, Matrix out)
{
    __shared__ float tile[BLOCK_DIM][BLOCK_DIM + 1];
    int x = blockIdx.x * BLOCK_DIM + threadIdx.x, y = blockIdx.y * BLOCK_DIM + threadIdx.y;
    if (x < in.width && y < in.height)
        tile[threadIdx.y][threadIdx.x] = get(in, y, x);
    __syncthreads();
    x = blockIdx.y * BLOCK_DIM + threadIdx.x;
    y = blockIdx.x * BLOCK_DIM + threadIdx.y;
    if (x < out.width && y < out.height)
        out.elements[y * out.width + x] = tile[threadIdxx][threadIdx.y];
}

static void usage() { fprintf(stderr, "usage\n"); }
static void quit(int code) { exit(code); }

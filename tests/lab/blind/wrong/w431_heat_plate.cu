// Heat on a square plate, explicit time steps, fixed temperature on the rim.
//   ./heat [edge steps]      edge 3 .. 8192, steps 0 .. 100000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define IDX(y, x) ((y) * edge + (x))

__global__ void step(const float *oldT, float *newT, int edge, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < edge - 1 && y < edge - 1) {
        float mid = oldT[IDX(y, x)];
        newT[IDX(y, x)] = mid + c * (oldT[IDX(y, x - 1)] + oldT[IDX(y, x + 1)]
                                   + oldT[IDX(y - 1, x)] + oldT[IDX(y + 1, x)]
                                   - 4.0f * mid);
    }
}

static void stepCpu(const float *oldT, float *newT, int edge, float c)
{
    for (int y = 1; y < edge - 1; y++)
        for (int x = 1; x < edge - 1; x++) {
            float mid = oldT[IDX(y, x)];
            newT[IDX(y, x)] = mid + c * (oldT[IDX(y, x - 1)] + oldT[IDX(y, x + 1)]
                                       + oldT[IDX(y - 1, x)] + oldT[IDX(y + 1, x)]
                                       - 4.0f * mid);
        }
}

int main(int argc, char **argv)
{
    int edge = 100, steps = 200;
    if (argc == 3) {
        edge = atoi(argv[1]);
        steps = atoi(argv[2]);
    }
    if (edge < 3 || edge > 8192 || steps < 0 || steps > 100000) return 2;

    size_t bytes = (size_t)edge * edge * sizeof(float);
    float *plate = (float *)calloc((size_t)edge * edge, sizeof(float));
    float *result = (float *)malloc(bytes);
    float *other = (float *)malloc(bytes);
    for (int i = 0; i < edge; i++) {
        plate[IDX(0, i)] = 100.0f;          // hot top
        plate[IDX(i, 0)] = 20.0f;
    }

    float *d_a, *d_b;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    // the rim is needed in both buffers
    cudaMemcpy(d_a, plate, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, plate, bytes, cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((edge + 15) / 16, (edge + 15) / 16);
    float *src = d_a, *dst = d_b;
    for (int s = 0; s < steps; s++) {
        step<<<grid, block>>>(src, dst, edge, 0.2f);
        float *tmp = src;
        src = dst;
        dst = tmp;
    }
    cudaMemcpy(result, d_a, bytes, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "something went wrong on the GPU\n");
        return 1;
    }

    // reference
    memcpy(other, plate, bytes);
    for (int s = 0; s < steps; s++) {
        stepCpu(plate, other, edge, 0.2f);
        float *tmp = plate;
        plate = other;
        other = tmp;
    }
    float worst = 0.0f;
    for (int i = 0; i < edge * edge; i++)
        worst = fmaxf(worst, fabsf(result[i] - plate[i]));
    printf("edge %d, %d steps: largest difference %g\n", edge, steps, worst);

    cudaFree(d_a);
    cudaFree(d_b);
    free(plate);
    free(other);
    free(result);
    return worst > 0.01f;
}

#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// y = A x; A lives in memory obtained from cudaMallocPitch, one thread per row.

__global__ void matvecPitch(const float *A, size_t pitchBytes,
                            const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;

    const float *row = A + r * pitchBytes;
    const float4 *row4 = reinterpret_cast<const float4 *>(row);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);

    float acc = 0.0f;
    int quads = cols / 4;
    for (int q = 0; q < quads; ++q) {
        float4 a = row4[q], b = x4[q];
        acc += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int c = quads * 4; c < cols; ++c)
        acc += row[c] * x[c];
    y[r] = acc;
}

#define CHECK(call)                                                    \
    do {                                                               \
        cudaError_t e_ = (call);                                       \
        if (e_ != cudaSuccess) {                                       \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 1000;
    int cols = argc > 2 ? atoi(argv[2]) : 777;

    std::vector<float> A((size_t)rows * cols), x(cols), y(rows);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 11) - 5.0f;
    for (int i = 0; i < cols; ++i) x[i] = (float)(i % 3);

    float *dA, *dx, *dy;
    size_t pitch;
    CHECK(cudaMallocPitch(&dA, &pitch, cols * sizeof(float), rows));
    CHECK(cudaMalloc(&dx, cols * sizeof(float)));
    CHECK(cudaMalloc(&dy, rows * sizeof(float)));
    CHECK(cudaMemcpy2D(dA, pitch, A.data(), cols * sizeof(float),
                       cols * sizeof(float), rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice));

    matvecPitch<<<(rows + 95) / 96, 96>>>(dA, pitch, dx, dy, rows, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost));
    printf("y[0]=%g y[last]=%g\n", y[0], y[rows - 1]);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}

// Tiled product over pitched float matrices (pitches in bytes, from cudaMallocPitch).
//   C (h x w) = A (h x d) * B (d x w).  Any h, w, d >= 1.
// Launch: block dim3(32, 32), grid dim3((w + 31) / 32, (h + 31) / 32).
#include <cuda_runtime.h>

#define SIDE 32

__device__ const float &at(const float *base, size_t pitch, int r, int c)
{
    return *((const float *)((const char *)base + (size_t)r * pitch) + c);
}

__global__ void mulPitched(const float *A, size_t pitchA,
                           const float *B, size_t pitchB,
                           float *C, size_t pitchC,
                           int h, int w, int d)
{
    __shared__ float ta[SIDE][SIDE];
    __shared__ float tb[SIDE][SIDE];

    int r = blockIdx.y * SIDE + threadIdx.y;
    int c = blockIdx.x * SIDE + threadIdx.x;
    float acc = 0.0f;

    for (int s = 0; s < d; s += SIDE) {
        int da = s + threadIdx.x;
        int db = s + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (r < h && da < d) ? at(A, pitchA, r, da) : 0.0f;
        tb[threadIdx.y][threadIdx.x] = (db < d && c < w) ? at(B, pitchB, db, c) : 0.0f;
        __syncthreads();

        for (int k = 0; k < SIDE; ++k)
            acc += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }

    if (r < h && c < w) {
        float *out = C + (size_t)r * pitchC;
        out[c] = acc;
    }
}

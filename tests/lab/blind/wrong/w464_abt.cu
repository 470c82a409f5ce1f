#include <cuda_runtime.h>

// C = A * B^T.  A is m x k, B is n x k, C is m x n, row-major.
// k must be a multiple of 4 (float4 loads, aligned pointers); m and n are free.

#define TM 16
#define K4 4                  // float4 per row of a tile, so 16 values of k

__global__ void abt(const float4 *A, const float4 *B, float *C, int m, int n, int k)
{
    __shared__ float4 la[TM][K4 + 1];
    __shared__ float4 lb[TM][K4 + 1];

    const int tid = threadIdx.y * TM + threadIdx.x;
    const int row0 = blockIdx.y * TM;
    const int col0 = blockIdx.x * TM;
    const int kv = k / 4;     // row length counted in float4
    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
    float sum = 0.f;

    for (int p = 0; p < kv; p += K4) {
        // threads 0..63 bring A, threads 64..127 bring B
        if (tid < 64) {
            int r = tid / K4, q = tid % K4;
            la[r][q] = (row0 + r < m && p + q < kv) ? A[(row0 + r) * kv + p + q] : zero;
        } else if (tid < 128) {
            int r = (tid - 64) / K4, q = tid % K4;
            lb[r][q] = (col0 + r < n && p + q < kv) ? B[(col0 + r) * kv + p + q] : zero;
        }
        __syncthreads();
        for (int q = 0; q < K4; q++) {
            float4 x = la[threadIdx.y][q];
            float4 y = lb[threadIdx.x][q];
            sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        }
        __syncthreads();
    }

    const int i = row0 + threadIdx.y;
    const int j = col0 + threadIdx.x;
    if (i < m && j < n)
        C[i * n + j] = sum;
}

void abtLaunch(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 threads(TM, TM);
    dim3 blocks((m + TM - 1) / TM, (n + TM - 1) / TM);
    abt<<<blocks, threads>>>((const float4 *)A, (const float4 *)B, C, m, n, k);
}

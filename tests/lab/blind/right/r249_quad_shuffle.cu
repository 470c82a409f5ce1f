// Reduced matrix product with the 2x2 sum done by warp shuffles.
// The block is 16 x 16, so one warp holds two neighbouring rows of the P tile:
//   lane = (ty % 2) * 16 + tx
// partner in the row: lane ^ 1, partner in the column: lane ^ 16.
// m and n even.
#include <cuda_runtime.h>

#define TS 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void quadProduct(float* R, const float* A, const float* B, int m, int n, int k)
{
    __shared__ float a_s[TS][TS];
    __shared__ float b_s[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;

    float p = 0.f;
    for (int ph = 0; ph < CEIL_DIV(k, TS); ph++) {
        int ca = ph * TS + tx, rb = ph * TS + ty;
        a_s[ty][tx] = row < m && ca < k ? A[(size_t)row * k + ca] : 0.f;
        b_s[ty][tx] = rb < k && col < n ? B[(size_t)rb * n + col] : 0.f;
        __syncthreads();
        for (int q = 0; q < TS; q++)
            p += a_s[ty][q] * b_s[q][tx];
        __syncthreads();
    }

    // no thread has left: the full mask is right
    p += __shfl_xor_sync(0xffffffffu, p, 1);
    p += __shfl_xor_sync(0xffffffffu, p, 16);

    if (row < m && col < n && tx % 2 == 0 && ty % 2 == 0)
        R[(size_t)(row / 2) * (n / 2) + col / 2] = p;
}

// Host arrays in, host array out. Returns the first error.
cudaError_t quadProductHost(const float* A, const float* B, float* R, int m, int n, int k)
{
    if (m < 2 || n < 2 || k < 1 || m % 2 || n % 2) return cudaErrorInvalidValue;
    size_t sa = (size_t)m * k * sizeof(float);
    size_t sb = (size_t)k * n * sizeof(float);
    size_t sr = (size_t)(m / 2) * (n / 2) * sizeof(float);
    float *da = 0, *db = 0, *dr = 0;
    cudaError_t e = cudaMalloc(&da, sa);
    if (e == cudaSuccess) e = cudaMalloc(&db, sb);
    if (e == cudaSuccess) e = cudaMalloc(&dr, sr);
    if (e == cudaSuccess) e = cudaMemcpy(da, A, sa, cudaMemcpyHostToDevice);
    if (e == cudaSuccess) e = cudaMemcpy(db, B, sb, cudaMemcpyHostToDevice);
    if (e == cudaSuccess) {
        dim3 block(TS, TS), grid(CEIL_DIV(n, TS), CEIL_DIV(m, TS));
        quadProduct<<<grid, block>>>(dr, da, db, m, n, k);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) e = cudaMemcpy(R, dr, sr, cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return e;
}

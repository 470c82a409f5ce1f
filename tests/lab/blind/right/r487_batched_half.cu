// Batched half precision product: C[z] = A[z] * B[z], float accumulation.
// The three arrays of device pointers live in device memory.
// Every matrix is row major; any n, k, m up to 500000, any number of batches.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static const int BX = 32;   // columns of a tile of C
static const int BY = 8;    // rows of a tile of C
static const int BK = 32;

__global__ void hgemm_batched(const __half* const* Aarr, const __half* const* Barr,
                              __half* const* Carr, int m, int n, int k, int batches)
{
    __shared__ __half as[BY][BK];
    __shared__ __half bs[BK][BX];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int row = blockIdx.y * BY + ly;
    const int col = blockIdx.x * BX + lx;
    const __half zero = __float2half(0.0f);

    for (int z = blockIdx.z; z < batches; z += gridDim.z) {
        const __half* A = Aarr[z];
        const __half* B = Barr[z];
        __half* C = Carr[z];
        float acc = 0.0f;

        for (int k0 = 0; k0 < k; k0 += BK) {
            // BK == BX: one element of A a thread, BK/BY elements of B a thread
            as[ly][lx] = (row < m && k0 + lx < k) ? A[(size_t)row * k + k0 + lx] : zero;
            for (int r = ly; r < BK; r += BY)
                bs[r][lx] = (k0 + r < k && col < n) ? B[(size_t)(k0 + r) * n + col] : zero;
            __syncthreads();

            for (int q = 0; q < BK; ++q)
                acc += __half2float(as[ly][q]) * __half2float(bs[q][lx]);
            __syncthreads();
        }

        if (row < m && col < n)
            C[(size_t)row * n + col] = __float2half(acc);
    }
}

cudaError_t hgemm_batched_launch(const __half* const* dA, const __half* const* dB,
                                 __half* const* dC, int m, int n, int k, int batches)
{
    if (m <= 0 || n <= 0 || batches <= 0) return cudaSuccess;
    const int gz = batches < 65535 ? batches : 65535;
    dim3 grid((n + BX - 1) / BX, (m + BY - 1) / BY, gz);
    dim3 block(BX, BY);
    hgemm_batched<<<grid, block>>>(dA, dB, dC, m, n, k, batches);
    return cudaGetLastError();
}

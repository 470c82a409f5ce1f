// Integer matrix product, tile edge chosen at launch time.
// Launch: block (t, t), grid (ceil(N/t), ceil(M/t)), dynamic shared = 2*t*t*sizeof(int).
#include <cuda_runtime.h>

__global__ void imatmul(int M, int N, int K,
                        const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c)
{
    extern __shared__ int pool[];
    const int t = blockDim.x;
    int* ta = pool;
    int* tb = pool + t * t;

    const int self = threadIdx.y * t + threadIdx.x;
    const int i = blockIdx.y * t + threadIdx.y;
    const int j = blockIdx.x * t + threadIdx.x;
    int total = 0;

    int left = K;
    const int* pa = a + (size_t)i * K + threadIdx.x;
    const int* pb = b + (size_t)threadIdx.y * N + j;
    while (left > 0) {
        ta[self] = (i < M && (int)threadIdx.x < left) ? *pa : 0;
        tb[self] = (j < N && (int)threadIdx.y < left) ? *pb : 0;
        __syncthreads();
        for (int s = 0; s < t; s++)
            total += ta[threadIdx.y * t + s] * tb[s * t + threadIdx.x];
        __syncthreads();
        pa += t;
        pb += (size_t)t * N;
        left -= t;
    }
    if (i < M && j < N)
        c[(size_t)i * N + j] = total;
}

void imatmul_launch(int t, int M, int N, int K, const int* a, const int* b, int* c)
{
    if (t < 1 || t > 32) return;
    dim3 blk(t, t), grd((N + t - 1) / t, (M + t - 1) / t);
    imatmul<<<grd, blk, 2 * t * t * sizeof(int)>>>(M, N, K, a, b, c);
}

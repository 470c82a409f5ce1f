// half inputs, float accumulation and output.  Tile edge is a template parameter.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Dims { int m, n, k; };

template <int T>
__device__ __forceinline__ half fetch(const half *src, int r, int c, int rows, int cols)
{
    return (r < rows && c < cols) ? src[r * cols + c] : __float2half(0.0f);
}

template <int T>
__global__ void hgemm(const half *A, const half *B, float *C, Dims d)
{
    __shared__ half As[T][T + 2];
    __shared__ half Bs[T][T + 2];

    int row = blockIdx.y * T + threadIdx.y;
    int col = blockIdx.x * T + threadIdx.x;
    float sum = 0.f;

    for (int step = 0; step * T < d.k; ++step) {
        As[threadIdx.y][threadIdx.x] = fetch<T>(A, row, step * T + threadIdx.x, d.m, d.k);
        Bs[threadIdx.y][threadIdx.x] = fetch<T>(B, step * T + threadIdx.y, col, d.k, d.n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; ++i)
            sum = fmaf(__half2float(As[threadIdx.y][i]), __half2float(Bs[i][threadIdx.x]), sum);
        __syncthreads();
    }

    if (row >= d.m || col >= d.n) return;
    C[row * d.n + col] = sum;
}

template <int T>
static void launch(const half *A, const half *B, float *C, Dims d, cudaStream_t s)
{
    dim3 grid((d.n + T - 1) / T, (d.m + T - 1) / T);
    hgemm<T><<<grid, dim3(T, T), 0, s>>>(A, B, C, d);
}

void run_hgemm(const half *A, const half *B, float *C, Dims d, cudaStream_t s)
{
    if (d.m <= 64 && d.n <= 64)
        launch<8>(A, B, C, d, s);
    else
        launch<32>(A, B, C, d, s);
}

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

template <typename T, int S>
__global__ void product(T* c, const T* a, const T* b, int n)
{
    __shared__ T brickA[S][S];
    __shared__ T brickB[S][S];

    const int i = blockIdx.y * S + threadIdx.y;
    const int j = blockIdx.x * S + threadIdx.x;

    T value{};
    for (int k = 0; k < n; k += S)
    {
        const int ka = k + threadIdx.x;
        const int kb = k + threadIdx.y;
        brickA[threadIdx.y][threadIdx.x] = (i < n && ka < n) ? a[i * n + ka] : T(0);
        brickB[threadIdx.y][threadIdx.x] = (kb < n && j < n) ? b[kb * n + j] : T(0);
        __syncthreads();

        for (int s = 0; s < S; ++s)
            value += brickA[threadIdx.y][s] * brickB[s][threadIdx.x];
    }

    if (i < n && j < n)
        c[i * n + j] = value;
}

// square matrices of any order
int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 38;
    const size_t bytes = sizeof(double) * n * n;
    double *a, *b, *c;
    cudaMallocManaged(&a, bytes);
    cudaMallocManaged(&b, bytes);
    cudaMallocManaged(&c, bytes);
    for (int e = 0; e < n * n; ++e) {
        a[e] = (e * 31 % 17) / 4.0;
        b[e] = (e * 13 % 23) / 8.0;
    }

    const dim3 block(16, 16);
    const dim3 grid((n + 15) / 16, (n + 15) / 16);
    product<double, 16><<<grid, block>>>(c, a, b, n);
    cudaDeviceSynchronize();

    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0;
            for (int k = 0; k < n; ++k) ref += a[i * n + k] * b[k * n + j];
            if (fabs(ref - c[i * n + j]) > 1e-9) {
                printf("wrong at %d %d\n", i, j);
                return 1;
            }
        }
    puts("all good");
    return 0;
}

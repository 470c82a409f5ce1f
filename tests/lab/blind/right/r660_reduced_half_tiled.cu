#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Reduced product with half inputs. Pair sums are formed in float while the
// tiles are loaded, so shared memory holds one tile of sums per operand.
template <int T>
__global__ void reducedHalf(const __half* __restrict__ A, const __half* __restrict__ B,
                            float* __restrict__ C, int m, int n, int k)
{
    __shared__ float pa[T][T];
    __shared__ float pb[T][T];
    const int rows = m / 2, cols = n / 2;
    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;
    float acc = 0.f;

    for (int k0 = 0; k0 < k; k0 += T) {
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        float sa = 0.f, sb = 0.f;
        if (i < rows && ka < k)
            sa = __half2float(A[2 * i * k + ka]) + __half2float(A[(2 * i + 1) * k + ka]);
        if (j < cols && kb < k) {
            // n is even, so 2j and the row start keep the pair 4-byte aligned
            const __half2 p = *reinterpret_cast<const __half2*>(&B[kb * n + 2 * j]);
            sb = __low2float(p) + __high2float(p);
        }
        pa[threadIdx.y][threadIdx.x] = sa;
        pb[threadIdx.y][threadIdx.x] = sb;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < T; ++q)
            acc += pa[threadIdx.y][q] * pb[q][threadIdx.x];
        __syncthreads();
    }
    if (i < rows && j < cols) C[i * cols + j] = acc;
}

int main()
{
    constexpr int T = 16;
    const int m = 100, n = 70, k = 37;
    std::vector<__half> a(m * k), b(k * n);
    std::vector<float> c(m / 2 * (n / 2));
    for (int i = 0; i < m * k; ++i) a[i] = __float2half((float)(i % 9) - 4.f);
    for (int i = 0; i < k * n; ++i) b[i] = __float2half((float)(i % 11) - 5.f);

    __half *da, *db;
    float* dc;
    cudaMalloc(&da, a.size() * sizeof(__half));
    cudaMalloc(&db, b.size() * sizeof(__half));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);

    dim3 grid((n / 2 + T - 1) / T, (m / 2 + T - 1) / T);
    reducedHalf<T><<<grid, dim3(T, T)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            int s = 0;
            for (int q = 0; q < k; ++q) {
                int x = (2 * i * k + q) % 9 + ((2 * i + 1) * k + q) % 9 - 8;
                int y = (q * n + 2 * j) % 11 + (q * n + 2 * j + 1) % 11 - 10;
                s += x * y;
            }
            if ((float)s != c[i * (n / 2) + j]) ++bad;
        }
    std::printf("bad: %d\n", bad);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return bad ? 1 : 0;
}

// Matrix product with the k dimension split over blockIdx.z.
// Each block adds its share into C with atomicAdd.  Sizes are arbitrary.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BS 16

static void die_if(cudaError_t rc, int line)
{
    if (rc == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(rc));
    std::exit(2);
}
#define CU(x) die_if((x), __LINE__)

__global__ void mm_splitk(const float* a, const float* b, float* c,
                          int m, int k, int n, int chunk)
{
    __shared__ float sa[BS][BS];
    __shared__ float sb[BS][BS];

    int r = blockIdx.y * BS + threadIdx.y;
    int q = blockIdx.x * BS + threadIdx.x;
    int from = blockIdx.z * chunk;
    int to = min(k, from + chunk);

    float part = 0.f;
    for (int p0 = from; p0 < to; p0 += BS) {
        int pa = p0 + threadIdx.x;
        int pb = p0 + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = (r < m && pa < to) ? a[r * k + pa] : 0.f;
        sb[threadIdx.y][threadIdx.x] = (pb < to && q < n) ? b[pb * n + q] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BS; ++i)
            part += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (r < m && q < n)
        atomicAdd(&c[r * n + q], part);
}

int main()
{
    const int m = 70, k = 5000, n = 90, splits = 12;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = float(i % 11) * 0.1f - 0.5f;
    for (int i = 0; i < k * n; ++i) b[i] = float(i % 17) * 0.05f - 0.4f;

    float *da, *db, *dc;
    CU(cudaMalloc(&da, a.size() * sizeof(float)));
    CU(cudaMalloc(&db, b.size() * sizeof(float)));
    CU(cudaMalloc(&dc, c.size() * sizeof(float)));
    CU(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    const int chunk = (k + splits - 1) / splits;
    dim3 block(BS, BS);
    dim3 grid((n + BS - 1) / BS, (m + BS - 1) / BS, splits);
    cudaEvent_t start, stop;
    CU(cudaEventCreate(&start));
    CU(cudaEventCreate(&stop));

    // warm-up
    CU(cudaMemset(dc, 0, c.size() * sizeof(float)));
    mm_splitk<<<grid, block>>>(da, db, dc, m, k, n, chunk);
    CU(cudaDeviceSynchronize());

    // measured run
    CU(cudaEventRecord(start));
    mm_splitk<<<grid, block>>>(da, db, dc, m, k, n, chunk);
    CU(cudaEventRecord(stop));
    CU(cudaEventSynchronize(stop));
    float ms = 0.f;
    CU(cudaEventElapsedTime(&ms, start, stop));
    CU(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double err = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int p = 0; p < k; ++p) s += double(a[i * k + p]) * b[p * n + j];
            err = std::max(err, std::fabs(s - c[i * n + j]));
        }
    std::printf("%.3f ms, max error %g: %s\n", ms, err, err < 1e-2 ? "passed" : "FAILED");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}

// Integer dot product, exact in 64 bits, with two kernels.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

typedef long long i64;
enum { NTHR = 128, NBLK = 300 };

// after the call every lane holds the sum of the warp
__device__ i64 butterfly(i64 v) {
  for (int d = 1; d < 32; d <<= 1) v += __shfl_xor_sync(0xFFFFFFFFu, v, d);
  return v;
}

__device__ void reduce_to(i64 v, i64* where) {
  __shared__ i64 w[NTHR / 32];
  v = butterfly(v);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    i64 total = 0;
    for (int q = 0; q < NTHR / 32; ++q) total += w[q];
    *where = total;
  }
}

__global__ void stage1(const int32_t* a, const int32_t* b, i64* partial, int n) {
  // contiguous chunk per block
  const int chunk = (n + gridDim.x - 1) / gridDim.x;
  const i64 first = (i64)chunk * blockIdx.x;
  const i64 last = min(first + chunk, (i64)n);
  i64 s = 0;
  for (i64 i = first + threadIdx.x; i < last; i += NTHR) s += (i64)a[i] * b[i];
  reduce_to(s, partial + blockIdx.x);
}

__global__ void stage2(const i64* partial, int count, i64* out) {
  i64 s = 0;
  for (int i = threadIdx.x; i < count; i += NTHR) s += partial[i];
  reduce_to(s, out);
}

int main() {
  const int n = 1234567;
  std::vector<int32_t> a(n), b(n);
  i64 want = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = (i * 37) % 2001 - 1000;
    b[i] = (i % 911) * 31 - 9000;
    want += (i64)a[i] * b[i];
  }
  int32_t *da, *db;
  i64 *dp, *dout, got = 0;
  cudaMalloc(&da, n * sizeof(int32_t));
  cudaMalloc(&db, n * sizeof(int32_t));
  cudaMalloc(&dp, NBLK * sizeof(i64));
  cudaMalloc(&dout, sizeof(i64));
  cudaMemcpy(da, a.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);

  stage1<<<NBLK, NTHR>>>(da, db, dp, n);
  stage2<<<1, NTHR>>>(dp, NBLK, dout);
  cudaMemcpy(&got, dout, sizeof(got), cudaMemcpyDeviceToHost);

  printf("%lld %lld %s\n", got, want, got == want ? "equal" : "DIFFERENT");
  cudaFree(da);
  cudaFree(db);
  cudaFree(dp);
  cudaFree(dout);
  return got == want ? 0 : 1;
}

// Dot product, reduction unrolled with the block size as template parameter.
// The block results are added up on the CPU.
#include <cuda_runtime.h>

const int NBLOCKS = 64;

template <typename T, unsigned BS>
__global__ void dotUnrolled(const T *a, const T *b, T *blockOut, long long n)
{
  static_assert(BS == 64 || BS == 128 || BS == 256 || BS == 512, "block size");
  __shared__ T s[BS];
  const unsigned tid = threadIdx.x;

  // two elements per thread and trip
  T v = 0;
  long long i = (long long)blockIdx.x * (2 * BS) + tid;
  const long long step = (long long)gridDim.x * (2 * BS);
  while (i < n) {
    v += a[i] * b[i];
    if (i + BS < n) v += a[i + BS] * b[i + BS];
    i += step;
  }
  s[tid] = v;
  __syncthreads();

  if (BS >= 512) { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }
  if (BS >= 256) { if (tid < 128) s[tid] += s[tid + 128]; __syncthreads(); }
  if (BS >= 128) { if (tid < 64)  s[tid] += s[tid + 64];  __syncthreads(); }

  if (tid < 32) {
    v = s[tid] + s[tid + 32];
    v += __shfl_down_sync(0xffffffff, v, 16);
    v += __shfl_down_sync(0xffffffff, v, 8);
    v += __shfl_down_sync(0xffffffff, v, 4);
    v += __shfl_down_sync(0xffffffff, v, 2);
    v += __shfl_down_sync(0xffffffff, v, 1);
    if (tid == 0) blockOut[blockIdx.x] = v;
  }
}

// a, b: device pointers. threads: 64, 128, 256 or 512
template <typename T>
T dot(const T *a, const T *b, long long n, int threads)
{
  T *d_out, h_out[NBLOCKS];
  cudaMalloc(&d_out, NBLOCKS * sizeof(T));

  switch (threads) {
    case 64:  dotUnrolled<T, 64><<<NBLOCKS, 64>>>(a, b, d_out, n);   break;
    case 128: dotUnrolled<T, 128><<<NBLOCKS, 128>>>(a, b, d_out, n); break;
    case 512: dotUnrolled<T, 512><<<NBLOCKS, 512>>>(a, b, d_out, n); break;
    default:  dotUnrolled<T, 256><<<NBLOCKS, 256>>>(a, b, d_out, n); break;
  }

  cudaMemcpy(h_out, d_out, NBLOCKS * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d_out);

  T sum = 0;
  for (int i = 0; i < NBLOCKS; i++) sum += h_out[i];
  return sum;
}

template float dot<float>(const float *, const float *, long long, int);
template double dot<double>(const double *, const double *, long long, int);

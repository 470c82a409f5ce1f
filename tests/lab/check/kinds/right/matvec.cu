__global__ void gemv(const float *A, const float *x, float *y, int m, int n) {
  int row = blockIdx.x; float s = 0;
  for (int j = threadIdx.x; j < n; j += 32) s += A[row * n + j] * x[j];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x == 0) y[row] = s;
}

__global__ void matVec(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float s = 0; for (int j = 0; j < n; ++j) s += A[i * n + j] * x[j]; y[i] = s; }
}

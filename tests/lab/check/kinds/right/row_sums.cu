__global__ void rowSums(const float *m, float *sums, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) { float s = 0; for (int c = 0; c < cols; ++c) s += m[r * cols + c]; sums[r] = s; }
}

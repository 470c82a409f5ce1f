__global__ void colSums(int rows, int cols, const double *m, double *sums) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  double s = 0; for (int r = 0; r < rows; ++r) s += m[r * cols + c]; sums[c] = s;
}

__global__ void rowMax(const float *m, float *best, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float b = 0.0f;
    for (int c = 0; c < cols; ++c) b = fmaxf(b, m[r * cols + c]); best[r] = b; }
}

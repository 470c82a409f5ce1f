__global__ void matAdd(const float *a, const float *b, float *c, int rows, int cols) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cols && j < rows)
    c[i * cols + j] = a[i * cols + j] + b[i * cols + j];
}
void go(float *a, float *b, float *c, int rows, int cols) { dim3 t(16, 16); dim3 g((cols + 15) / 16, (rows + 15) / 16); matAdd<<<g, t>>>(a, b, c, rows, cols); }

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m && j < n) { float s = 0; for (int p = 0; p < k; p++) s += a[i * k + p] * b[j * k + p]; c[i * n + j] = s; }
}

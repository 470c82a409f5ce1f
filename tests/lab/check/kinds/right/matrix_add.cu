#define W 16
__global__ void addMatrices(const int *a, const int *b, int *c, int width, int height) {
  int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * W + threadIdx.y;
  if (x < width && y < height) c[y * width + x] = a[y * width + x] + b[y * width + x];
}
void run(int *a, int *b, int *c, int w, int h) { dim3 t(W, W); dim3 g((w + W - 1) / W, (h + W - 1) / W); addMatrices<<<g, t>>>(a, b, c, w, h); }

// The guide's matrices in tiles, whose number is rounded down: the end of the sum is missing.
#define T 16
typedef struct { int height, width; float *data; } Matrix;
__global__ void product(Matrix a, Matrix b, Matrix c) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < a.width / T; ++tile) {
    int x = tile * T + threadIdx.x, y = tile * T + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < a.height && x < a.width ? a.data[row * a.width + x] : 0;
    bs[threadIdx.y][threadIdx.x] = y < b.height && col < b.width ? b.data[y * b.width + col] : 0;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < c.height && col < c.width) c.data[row * c.width + col] = sum;
}

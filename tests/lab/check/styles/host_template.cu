// Launched by a template of the host, which main calls for several tiles.
template <int TILE>
__global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int base = 0; base < k; base += TILE) {
    as[threadIdx.y][threadIdx.x] = row < m && base + threadIdx.x < k ? a[row * k + base + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = col < n && base + threadIdx.y < k ? b[(base + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
template <int TILE>
void run(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<TILE><<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
int main() {
  float *a, *b, *c;
  run<8>(a, b, c, 130, 97, 211);
  run<16>(a, b, c, 130, 97, 211);
}

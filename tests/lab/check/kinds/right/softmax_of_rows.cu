// softmax of each row, one thread each
__global__ void softmax(const float *in, float *out, int rows, int cols) {
  int r = blockIdx.x * 64 + threadIdx.x; if (r >= rows) return;
  float m = in[r * cols], s = 0;
  for (int c = 1; c < cols; ++c) m = fmaxf(m, in[r * cols + c]);
  for (int c = 0; c < cols; ++c) s += __expf(in[r * cols + c] - m);
  for (int c = 0; c < cols; ++c) out[r * cols + c] = __expf(in[r * cols + c] - m) / s;
}
void run(const float *in, float *out, int rows, int cols) { softmax<<<(rows + 63) / 64, 64>>>(in, out, rows, cols); }

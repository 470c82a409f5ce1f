// weighted sum of two vectors
__global__ void weighted(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + 2 * b[i];
}
int main() { int n = 1000; float *a, *b, *c; weighted<<<(n + 127) / 128, 128>>>(a, b, c, n); }

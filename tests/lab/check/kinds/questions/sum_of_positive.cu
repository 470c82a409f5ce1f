// sum of the positive values
__global__ void sumPos(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(out, x[i]);
}
int main() { int n = 1000; int *a, *b; cudaMemset(b, 0, 4); sumPos<<<(n + 127) / 128, 128>>>(a, b, n); }

struct Mat { int n; int n; float *p; };
__global__ void matmul(Mat A, Mat B, Mat C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C.n && j < C.n) { float s = 0; for (int k = 0; k < A.n; k++) s += A.p[i * A.n + k] * B.p[k * B.n + j]; C.p[i * C.n + j] = s; }
}
int main() { int n = 64; float *a, *b, *c; Mat A = {n, n, a}; Mat B = {n, n, b}; Mat C; C = {n, n, c};
 matmul<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, B, C); }

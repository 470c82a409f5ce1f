#include <vector>
__global__ void mm(float* A, float* B, float* C, int n) {
  float* tmp = (float*)malloc(n * sizeof(float));
  int i = threadIdx.x;
  for (int j = 0; j < n; j++) { tmp[j] = 0; for (int k = 0; k < n; k++) tmp[j] += A[i*n+k]*B[k*n+j]; C[i*n+j] = tmp[j]; }
  free(tmp);
}
int main() { mm<<<1, 64>>>(0, 0, 0, 64); }

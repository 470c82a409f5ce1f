__global__ void matAdd(const float *A, const float *B, float *C, int N) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && j < N) C[i * N + j] = A[i * N + j] + B[i * N + j];
}

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int W = 8;

// long inner dimension: blockIdx.z picks a slice of k, the slices meet in C by atomicAdd.
// C must be all zeros beforehand.
__global__ void slicedMul(const float* A, const float* B, float* C, int M, int N, int K, int len)
{
  __shared__ float tileA[W][W], tileB[W][W];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y*W + y, col = blockIdx.x*W + x;
  int from = blockIdx.z*len;
  int to = from + len;
  if (to > K) to = K;

  float part = 0;
  for (int base = from; base < to; base += W) {
    tileA[y][x] = (row < M && base+x < to) ? A[row*K + base+x] : 0.0f;
    tileB[y][x] = (col < N && base+y < to) ? B[(base+y)*N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < W; i++) part += tileA[y][i]*tileB[i][x];
    __syncthreads();
  }
  if (row < M && col < N) atomicAdd(C + row*N + col, part);
}

void mul(const float* A, const float* B, float* C, int M, int N, int K, int slices)
{
  int len = (K + slices - 1)/slices;
  cudaMemset(C, 0, sizeof(float)*M*N);
  dim3 g((N + W - 1)/W, (M + W - 1)/W, slices);
  slicedMul<<<g, dim3(W, W)>>>(A, B, C, M, N, K, len);
  cudaDeviceSynchronize();
}

int main()
{
  int M = 13, N = 21, K = 37;
  float *A, *B, *C;
  cudaMallocManaged(&A, sizeof(float)*M*K);
  cudaMallocManaged(&B, sizeof(float)*K*N);
  cudaMallocManaged(&C, sizeof(float)*M*N);
  for (int i = 0; i < M*K; i++) A[i] = (rand()%19 - 9)*0.5f;
  for (int i = 0; i < K*N; i++) B[i] = (rand()%19 - 9)*0.5f;

  int bad = 0;
  for (int slices = 1; slices <= 6; slices++) {
    mul(A, B, C, M, N, K, slices);
    for (int r = 0; r < M; r++)
      for (int c = 0; c < N; c++) {
        float want = 0;
        for (int p = 0; p < K; p++) want += A[r*K + p]*B[p*N + c];
        if (fabsf(want - C[r*N + c]) > 1e-2f) bad++;
      }
  }
  printf("%s\n", bad ? "FAILED" : "ok");
  cudaFree(A); cudaFree(B); cudaFree(C);
  return bad != 0;
}

// hw4: maximum of every row, one block per row
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <cuda_runtime.h>

#define NT 128

__global__ void rowMax(const float *mat, float *best, int cols)
{
  __shared__ float s[NT];
  const float *row = mat + (size_t)blockIdx.x * cols;
  float v = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += NT)
    v = fmaxf(v, row[c]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int w = NT / 2; w > 0; w >>= 1) {
    if (threadIdx.x < w)
      s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = s[0];
}

int main(void)
{
  int rows = 400, cols = 777;
  float *h_mat = (float *)malloc(rows * cols * sizeof(float));
  float *h_best = (float *)malloc(rows * sizeof(float));
  for (int i = 0; i < rows * cols; i++)
    h_mat[i] = (float)rand() / RAND_MAX - 2.0f;

  float *d_mat, *d_best;
  cudaMalloc((void **)&d_mat, rows * cols * sizeof(float));
  cudaMalloc((void **)&d_best, rows * sizeof(float));
  cudaMemcpy(d_mat, h_mat, rows * cols, cudaMemcpyHostToDevice);

  rowMax<<<rows, NT>>>(d_mat, d_best, cols);
  cudaMemcpy(h_best, d_best, rows * sizeof(float), cudaMemcpyDeviceToHost);

  int bad = 0;
  for (int r = 0; r < rows; r++) {
    float want = -FLT_MAX;
    for (int c = 0; c < cols; c++)
      if (h_mat[r * cols + c] > want) want = h_mat[r * cols + c];
    if (want != h_best[r]) bad++;
  }
  printf("%d bad rows\n", bad);
  cudaFree(d_mat);
  cudaFree(d_best);
  free(h_mat);
  free(h_best);
  return bad != 0;
}

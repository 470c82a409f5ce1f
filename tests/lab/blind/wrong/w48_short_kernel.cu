#define TW 16
__global__ void mmt(const float* A, const float* B, float* C, int M, int N, int K)
{
  __shared__ float a[TW][TW], b[TW][TW];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y*TW + ty, c = blockIdx.x*TW + tx;
  float s = 0.f;
  for (int k0 = 0; k0 < K; k0 += TW) {
    a[ty][tx] = (k0+tx < K) ? A[r*K + k0+tx] : 0.f;
    b[ty][tx] = (k0+ty < K && c < N) ? B[(k0+ty)*N + c] : 0.f;
    __syncthreads();
    for (int k = 0; k < TW; ++k) s += a[ty][k]*b[k][tx];
    __syncthreads();
  }
  if (r < M && c < N) C[r*N + c] = s;
}

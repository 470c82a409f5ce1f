// C = A * B, 64x64 block, 4x4 per thread, float4 loads; M, N, K multiples of 64
#define BM 64
#define BN 64
#define BK 16
__global__ void sgemm(float* A, float* B, float* C, int M, int N, int K) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  int tid = threadIdx.x;
  int tr = tid / 16, tc = tid % 16;
  int aRow = tid / 4, aCol = (tid % 4) * 4;
  int bRow = tid / 16, bCol = (tid % 16) * 4;
  float acc[4][4] = {0};
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4 v = reinterpret_cast<float4*>(&A[aRow * K + aCol])[0];
    As[aCol + 0][aRow] = v.x;
    As[aCol + 1][aRow] = v.y;
    As[aCol + 2][aRow] = v.z;
    As[aCol + 3][aRow] = v.w;
    *reinterpret_cast<float4*>(&Bs[bRow][bCol]) = *reinterpret_cast<float4*>(&B[bRow * N + bCol]);
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      float ra[4], rb[4];
      for (int i = 0; i < 4; ++i) ra[i] = As[k][tr * 4 + i];
      for (int j = 0; j < 4; ++j) rb[j] = Bs[k][tc * 4 + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    float4 o = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *reinterpret_cast<float4*>(&C[(tr * 4 + i) * N + tc * 4]) = o;
  }
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  dim3 grid(N / BN, M / BM);
  sgemm<<<grid, 256>>>(A, B, C, M, N, K);
}

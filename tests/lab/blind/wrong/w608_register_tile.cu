// 행렬 곱셈 최적화 과제 - 스레드당 4x2 결과를 레지스터에 보관
// C(M x N) = A(M x K) * B(K x N), 크기 제한 없음 (경계는 0으로 채움)
// 블록: dim3(16, 16)   그리드: dim3((N+31)/32, (M+63)/64)

#define BLK_M 64
#define BLK_N 32
#define BLK_K 16
#define REG_M 4
#define REG_N 2

extern "C" __global__ void matmul_reg(const float* __restrict__ A,
                                      const float* __restrict__ B,
                                      float* __restrict__ C,
                                      int M, int N, int K)
{
    __shared__ float sA[BLK_M][BLK_K];
    __shared__ float sB[BLK_K][BLK_N];

    const int tx = threadIdx.x;          // 0..15
    const int ty = threadIdx.y;          // 0..15
    const int rowBase = blockIdx.y * BLK_M;
    const int colBase = blockIdx.x * BLK_N;

    float acc[REG_M][REG_N];

    for (int k0 = 0; k0 < K; k0 += BLK_K) {
        // A 타일: 64 x 16, 스레드당 4개
        for (int i = 0; i < REG_M; ++i) {
            int r = ty + i * 16;
            bool ok = (rowBase + r < M) && (k0 + tx < K);
            sA[r][tx] = ok ? A[(rowBase + r) * K + k0 + tx] : 0.0f;
        }
        // B 타일: 16 x 32, 스레드당 2개
        for (int j = 0; j < REG_N; ++j) {
            int c = tx + j * 16;
            bool ok = (k0 + ty < K) && (colBase + c < N);
            sB[ty][c] = ok ? B[(k0 + ty) * N + colBase + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BLK_K; ++k) {
            for (int i = 0; i < REG_M; ++i) {
                float a = sA[ty + i * 16][k];
                for (int j = 0; j < REG_N; ++j)
                    acc[i][j] += a * sB[k][tx + j * 16];
            }
        }
        __syncthreads();
    }

    // 결과 저장
    for (int i = 0; i < REG_M; ++i) {
        int r = rowBase + ty + i * 16;
        for (int j = 0; j < REG_N; ++j) {
            int c = colBase + tx + j * 16;
            if (r < M && c < N)
                C[r * N + c] = acc[i][j];
        }
    }
}

// SGEMM, row-major, register blocking, vector loads.
//
//   C(M,N) = A(M,K) * B(K,N)        no leading dimensions, packed
//
// Requirements (the caller pads):  M % 64 == 0, N % 64 == 0, K % 16 == 0,
// all three pointers from cudaMalloc (16-byte aligned).
// Launch: sgemm64<<<dim3(N/64, M/64), 256>>>(M, N, K, A, B, C);

#define BM 64
#define BN 64
#define BK 16

__global__ __launch_bounds__(256)
void sgemm64(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float As[BK][BM + 4];   // stored transposed
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tx  = tid % 16;             // 4 columns each
    const int ty  = tid / 16;             // 4 rows each

    // who loads what: A tile is 64 x 16 = 256 float4, B tile is 16 x 64 = 256 float4
    const int ar = tid / 4;
    const int ac = (tid % 4) * 4;
    const int br = tid / 16;
    const int bc = (tid % 16) * 4;

    const float *Ap = A + (size_t)(blockIdx.y * BM + ar) * K + ac;
    const float *Bp = B + (size_t)br * N + blockIdx.x * BN + bc;

    float c[4][4] = {{0.f}};

    for (int k0 = 0; k0 < K; k0 += BK) {
        float4 va = *reinterpret_cast<const float4 *>(Ap);
        float4 vb = *reinterpret_cast<const float4 *>(Bp);
        As[ac + 0][ar] = va.x;
        As[ac + 1][ar] = va.y;
        As[ac + 2][ar] = va.z;
        As[ac + 3][ar] = va.w;
        *reinterpret_cast<float4 *>(&Bs[br][bc]) = vb;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = As[k][ty * 4 + i];
            for (int j = 0; j < 4; ++j) b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    c[i][j] += a[i] * b[j];
        }
        __syncthreads();

        Ap += BK;
        Bp += (size_t)BK * N;
    }

    for (int i = 0; i < 4; ++i) {
        size_t row = blockIdx.y * BM + ty * 4 + i;
        float4 out = make_float4(c[i][0], c[i][1], c[i][2], c[i][3]);
        *reinterpret_cast<float4 *>(&C[row * N + blockIdx.x * BN + tx * 4]) = out;
    }
}

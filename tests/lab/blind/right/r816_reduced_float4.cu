// Reduced product with float4 loads.
//   A is M x K, B is K x N, C is (M/2) x (N/2), row-major.
//   M and N must be multiples of 64, K a multiple of 16, nothing above 32768.
//   Buffers 16-byte aligned (plain cudaMalloc pointers are).
//
// 256 threads produce a 32x32 tile of C, 2x2 values each:
//   reduced_f4<<<dim3(N / 64, M / 64), 256>>>(A, B, C, M, N, K);

constexpr int TC = 32;   // tile of C
constexpr int TK = 16;

__device__ inline float4 add4(float4 u, float4 v)
{
    return make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}

__global__ void __launch_bounds__(256)
reduced_f4(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sa[TK][TC + 1];   // k-major
    __shared__ float sb[TK][TC];

    const int tid = threadIdx.x;
    const int ci = blockIdx.y * TC;    // first row of C
    const int cj = blockIdx.x * TC;    // first column of C

    // who loads what: A' tile needs 32 rows x 4 float4, B' tile 16 rows x 16 float4
    const int ar = tid / 4, ak = (tid % 4) * 4;
    const int bk = tid / 16, bc = (tid % 16) * 2;

    const int y = tid / 16, x = tid % 16;
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int k0 = 0; k0 < K; k0 += TK) {
        if (tid < TC * TK / 4) {
            const float *p = A + (size_t)2 * (ci + ar) * K + k0 + ak;
            float4 s = add4(*(const float4 *)p, *(const float4 *)(p + K));
            sa[ak + 0][ar] = s.x;
            sa[ak + 1][ar] = s.y;
            sa[ak + 2][ar] = s.z;
            sa[ak + 3][ar] = s.w;
        }
        float4 v = *(const float4 *)(B + (size_t)(k0 + bk) * N + 2 * (cj + bc));
        sb[bk][bc]     = v.x + v.y;
        sb[bk][bc + 1] = v.z + v.w;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TK; ++k) {
            float a0 = sa[k][y], a1 = sa[k][y + 16];
            float b0 = sb[k][x], b1 = sb[k][x + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    const int w = N / 2;
    float *o = C + (size_t)(ci + y) * w + cj + x;
    o[0] = c00;
    o[16] = c01;
    o += (size_t)16 * w;
    o[0] = c10;
    o[16] = c11;
}

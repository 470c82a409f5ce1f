// 縮約行列積
//   A: 2m x k 列優先 (A[r + c*2m])     B: k x 2n 行優先 (B[r*2n + c])
//   C: m x n 行優先,  C(i,j) = (A*B) の 2x2 ブロック (2i,2j) の和
// どちらの行列でも組になる二要素は隣り合うので float2 で読む (ポインタは 8 バイト境界)。
// 起動: block(32, 4), grid(ceil(n/32), ceil(m/4))

__device__ inline float wa(float2 v) { return v.x + v.y; }

__global__ void shukuyaku(const float2 *A, const float2 *B, float *C, int m, int n, int k)
{
    int j = threadIdx.x + 32 * blockIdx.x;
    int i = threadIdx.y + 4 * blockIdx.y;
    if (j >= n) return;
    if (i >= m) return;

    A += i;
    B += j;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int p = 0;
    for (; p + 3 < k; p += 4) {
        s0 += wa(A[0])             * wa(B[0]);
        s1 += wa(A[m])             * wa(B[n]);
        s2 += wa(A[2 * (size_t)m]) * wa(B[2 * (size_t)n]);
        s3 += wa(A[3 * (size_t)m]) * wa(B[3 * (size_t)n]);
        A += 4 * (size_t)m;
        B += 4 * (size_t)n;
    }
    for (; p < k; ++p, A += m, B += n)     // 端数
        s0 += wa(*A) * wa(*B);

    C[(size_t)i * n + j] = (s0 + s1) + (s2 + s3);
}

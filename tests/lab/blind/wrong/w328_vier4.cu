// C = A * B met float4 voor B en C;  N is een veelvoud van 4
// aanroep:
//   dim3 blok(16, 16);                                  // 16 rijen x 64 kolommen per blok
//   dim3 rooster((N + 63) / 64, (M + 15) / 16);
//   maal4<<<rooster, blok>>>(A, B, C, M, K, N);

#define R 16

__global__ void maal4(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float sA[R][R];
    __shared__ float4 sB[R][R];

    const float4 *B4 = reinterpret_cast<const float4 *>(B);
    float4 *C4 = reinterpret_cast<float4 *>(C);

    int rij = blockIdx.y * R + threadIdx.y;
    int kol = (blockIdx.x * R + threadIdx.x) * 4;    // eerste van vier kolommen
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int t = 0; t < (K + R - 1) / R; ++t) {
        int ka = t * R + threadIdx.x;
        int kb = t * R + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (rij < M && ka < K) ? A[rij * K + ka] : 0.f;
        if (kb < K && kol < N)
            sB[threadIdx.y][threadIdx.x] = B4[kb * N + kol];
        else
            sB[threadIdx.y][threadIdx.x] = make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();

        for (int k = 0; k < R; ++k) {
            float a = sA[threadIdx.y][k];
            float4 b = sB[k][threadIdx.x];
            s.x += a * b.x;
            s.y += a * b.y;
            s.z += a * b.z;
            s.w += a * b.w;
        }
        __syncthreads();
    }

    if (rij < M && kol < N)
        C4[(rij * N + kol) / 4] = s;
}

// CS-421 homework 3, "one thread, several elements"
// Every thread computes 4 neighbouring columns of C and uses float4 for the
// memory traffic of B and C.
//
// Restriction: N (columns of B and C) must be a multiple of 4, and the arrays
// must be 16-byte aligned (cudaMalloc gives 256). M and K can be anything.
//
// launch: dim3 block(T, T);
//         dim3 grid((N/4 + T - 1)/T, (M + T - 1)/T);
//         sgemm4<T><<<grid, block>>>(M, N, K, A, B, C);

__device__ __forceinline__ void fma4(float4 &acc, float a, const float4 &b)
{
    acc.x = fmaf(a, b.x, acc.x);
    acc.y = fmaf(a, b.y, acc.y);
    acc.z = fmaf(a, b.z, acc.z);
    acc.w = fmaf(a, b.w, acc.w);
}

template <int T>
__global__ void sgemm4(int M, int N, int K,
                       const float *__restrict__ A,
                       const float *__restrict__ B,
                       float *__restrict__ C)
{
    __shared__ float  aTile[T][T];
    __shared__ float4 bTile[T][T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int N4   = N / 4;                 // columns counted in float4
    const int row  = blockIdx.y * T + ty;
    const int col4 = blockIdx.x * T + tx;

    const float4 *B4 = reinterpret_cast<const float4 *>(B);
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int k0 = 0; k0 < K; k0 += T) {
        aTile[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.f;
        if (k0 + ty < K && col4 < N4)
            bTile[ty][tx] = B4[(k0 + ty) * N4 + col4];
        else
            bTile[ty][tx] = make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < T; ++k)
            fma4(acc, aTile[ty][k], bTile[k][tx]);
        __syncthreads();
    }

    if (row < M && col4 < N4)
        reinterpret_cast<float4 *>(C)[row * N4 + col4] = acc;
}

template __global__ void sgemm4<8>(int, int, int, const float *, const float *, float *);
template __global__ void sgemm4<16>(int, int, int, const float *, const float *, float *);

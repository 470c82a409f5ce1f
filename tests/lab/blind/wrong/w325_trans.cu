#define B 16

// C = A^T * D    A: K x M,  D: K x N,  C: M x N   (row-major)
template <typename T>
__global__ void mul_tn(const T *A, const T *D, T *C, int M, int N, int K)
{
    __shared__ T a[B][B + 1];
    __shared__ T d[B][B];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * B + ty;
    const int col = blockIdx.x * B + tx;
    const int aCol = blockIdx.y * B + tx;
    T sum = 0;

    for (int k0 = 0; k0 < K; k0 += B) {
        const int k = k0 + ty;
        a[ty][tx] = (k < K && aCol < M) ? A[k * K + aCol] : T(0);
        d[ty][tx] = (k < K && col < N) ? D[k * N + col] : T(0);
        __syncthreads();

#pragma unroll
        for (int i = 0; i < B; ++i)
            sum += a[i][ty] * d[i][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

template __global__ void mul_tn<float>(const float *, const float *, float *, int, int, int);
template __global__ void mul_tn<int>(const int *, const int *, int *, int, int, int);

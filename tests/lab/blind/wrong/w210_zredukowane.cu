// Mnozenie zredukowane z sumami par w pamieci wspoldzielonej (m, n parzyste)
// blok 8 x 8, siatka (ceil((n/2)/8), ceil((m/2)/8))
#define B8 8

__device__ __forceinline__ float paraWierszy(const float *A, int i, int k, int p)
{
    return A[2 * i * p + k] + A[(2 * i + 1) * p + k];
}

__device__ __forceinline__ float paraKolumn(const float *B, int k, int j, int n)
{
    return B[k * n + j] + B[k * n + j + 1];
}

__global__ void zredukowany(const float *A, const float *B, float *C, int m, int p, int n)
{
    __shared__ float a[B8][B8];
    __shared__ float b[B8][B8];
    const int m2 = m / 2, n2 = n / 2;
    const int i = blockIdx.y * B8 + threadIdx.y;
    const int j = blockIdx.x * B8 + threadIdx.x;

    float s = 0;
    for (int k0 = 0; k0 < p; k0 += B8) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (i < m2 && ka < p) ? paraWierszy(A, i, ka, p) : 0.0f;
        b[threadIdx.y][threadIdx.x] = (j < n2 && kb < p) ? paraKolumn(B, kb, j, n) : 0.0f;
        __syncthreads();
        for (int k = 0; k < B8; k++)
            s += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (i < m2 && j < n2) C[i * n2 + j] = s;
}

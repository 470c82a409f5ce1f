// Mnożenie "zredukowane": C (n/2 x n/2) z macierzy kwadratowych A, B (n x n)
// n jest wielokrotnością 32, n <= 16384
// wskaźniki prosto z cudaMalloc, więc B można czytać parami (float2)

#define BLK 16

// suma wierszy 2i oraz 2i+1 w kolumnie k
static __device__ float paraWierszy(const float *A, int n, int i, int k)
{
    const float *w = A + (size_t)(2 * i) * n + k;
    return w[0] + w[n];
}

__global__ void mnozZred(const float *__restrict__ A, const float *__restrict__ B,
                         float *__restrict__ C, int n)
{
    __shared__ float a[BLK][BLK + 1];
    __shared__ float b[BLK][BLK + 1];

    const float2 *B2 = reinterpret_cast<const float2 *>(B);
    const int h = n / 2;

    const int wiersz  = blockIdx.y * BLK + threadIdx.y;
    const int kolumna = blockIdx.x * BLK + threadIdx.x;

    float suma = 0.f;
    for (int k = 0; k < n; k += BLK)
    {
        a[threadIdx.y][threadIdx.x] = paraWierszy(A, n, wiersz, k + threadIdx.x);

        float2 v = B2[(size_t)(k + threadIdx.y) * h + kolumna];
        b[threadIdx.y][threadIdx.x] = v.x + v.y;
        __syncthreads();

        #pragma unroll
        for (int l = 0; l < BLK; ++l)
            suma += a[threadIdx.y][l] * b[l][threadIdx.x];
        __syncthreads();
    }
    C[(size_t)wiersz * h + kolumna] = suma;
}

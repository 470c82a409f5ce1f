// Zadanie 3: C = A * B^T
// A ma m wierszy i k kolumn, B ma n wierszy i k kolumn, C jest m x n.
// Wszystko wierszami, rozmiary dowolne.
// Blok BOK x BOK watkow, siatka ceil(n/BOK) x ceil(m/BOK).

template <int BOK>
__device__ void wczytaj(float (*kafel)[BOK + 1], const float *M, int wiersze,
                        int kolumny, int w0, int k0)
{
    // laduje prostokat M[w0 .. w0+BOK) x [k0 .. k0+BOK), poza macierza zera
    int w = w0 + threadIdx.y;
    int k = k0 + threadIdx.x;
    float v = 0.0f;
    if (w < wiersze && k < kolumny)
        v = M[(size_t)w * kolumny + k];
    kafel[threadIdx.y][threadIdx.x] = v;
}

template <int BOK>
__global__ void iloczynABt(const float *A, const float *B, float *C,
                           int m, int n, int k)
{
    __shared__ float kafelA[BOK][BOK + 1];
    __shared__ float kafelB[BOK][BOK + 1];

    const int w0 = blockIdx.y * BOK;
    const int c0 = blockIdx.x * BOK;

    float suma = 0.0f;
    for (int k0 = 0; k0 < k; k0 += BOK) {
        wczytaj<BOK>(kafelA, A, m, k, w0, k0);
        wczytaj<BOK>(kafelB, B, n, k, c0, k0);
        __syncthreads();

        for (int p = 0; p < BOK; ++p)
            suma += kafelA[threadIdx.y][p] * kafelB[p][threadIdx.x];
        __syncthreads();
    }

    const int wiersz = w0 + threadIdx.y;
    const int kolumna = c0 + threadIdx.x;
    if (wiersz < m && kolumna < n)
        C[(size_t)wiersz * n + kolumna] = suma;
}

template __global__ void iloczynABt<16>(const float *, const float *, float *, int, int, int);
template __global__ void iloczynABt<32>(const float *, const float *, float *, int, int, int);

// Wsadowe mnożenie macierzy (batched), układ kolumnowy jak w BLAS:
//   C_b = alpha * A_b * B_b      dla b = 0 .. ile-1
// A_b: m x k (lda >= m), B_b: k x n (ldb >= k), C_b: m x n (ldc >= m)
// Kolejne macierze leżą w pamięci co krokA / krokB / krokC elementów
// (krok 0 dla A albo B oznacza, że wszystkie używają tej samej macierzy).
//
// Uruchomienie:
//   dim3 blok(32, 8);
//   dim3 siatka((m + 31) / 32, (n + 7) / 8, ile);
//   mnozWsad<<<siatka, blok>>>(...);

template <typename T>
struct Opis {
    T *dane;
    int ld;
    long long krok;
};

template <typename T>
__device__ __forceinline__ T &element(T *p, int ld, int w, int k)
{
    return p[(long long)k * ld + w];
}

template <typename T>
__global__ void mnozWsad(int m, int n, int k, T alpha,
                         Opis<const T> A, Opis<const T> B, Opis<T> C)
{
    const int wiersz  = blockIdx.x * blockDim.x + threadIdx.x;
    const int kolumna = blockIdx.y * blockDim.y + threadIdx.y;
    if (wiersz >= m || kolumna >= n)
        return;

    const long long b = blockIdx.z;
    const T *a  = A.dane + b * A.krok;
    const T *bb = B.dane + b * B.krok;
    T *c        = C.dane + b * C.krok;

    T suma = 0;
    for (int i = 0; i < k; ++i)
        suma += element(a, A.ld, wiersz, i) * element(bb, B.ld, i, kolumna);

    element(c, C.ld, wiersz, kolumna) = alpha * suma;
}

template __global__ void mnozWsad<float>(int, int, int, float,
                                         Opis<const float>, Opis<const float>, Opis<float>);
template __global__ void mnozWsad<double>(int, int, int, double,
                                          Opis<const double>, Opis<const double>, Opis<double>);

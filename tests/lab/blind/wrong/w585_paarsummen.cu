// Blatt 8, Aufgabe 3: reduziertes Produkt mit Vorberechnung
// Erst werden Zeilenpaare von A und Spaltenpaare von B addiert,
// danach folgt eine gewoehnliche gekachelte Multiplikation.
// M, N gerade, K beliebig. Alle Zeiger zeigen auf GPU-Speicher.
#include <cuda_runtime.h>

namespace {

constexpr int T = 16;

__global__ void paar_zeilen(const float* in, float* out, int zeilen, int spalten)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y;
    if (s < spalten && z < zeilen / 2)
        out[z * spalten + s] = in[2 * z * spalten + s] + in[(2 * z + 1) * spalten + s];
}

__global__ void paar_spalten(const float* in, float* out, int zeilen, int spalten)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y;
    int halb = spalten / 2;
    if (s < halb && z < zeilen)
        out[z * halb + s] = in[z * spalten + 2 * s] + in[z * spalten + 2 * s + 1];
}

// C (m x n) = A (m x k) * B (k x n)
__global__ void mal(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int zeile = blockIdx.y * T + y, spalte = blockIdx.x * T + x;
    float summe = 0.f;
    for (int p = 0; p < k; p += T) {
        a[y][x] = zeile < m && p + x < k ? A[zeile * k + p + x] : 0.f;
        b[y][x] = p + y < k && spalte < n ? B[(p + y) * n + spalte] : 0.f;
        __syncthreads();
        for (int q = 0; q < T; ++q)
            summe += a[y][q] * b[q][x];
        __syncthreads();
    }
    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

inline int auf(int a, int b) { return (a + b - 1) / b; }

} // namespace

// false, wenn die Groessen nicht passen
bool reduziertes_produkt(const float* A, const float* B, float* C, int M, int N, int K)
{
    if (M <= 0 || N <= 0 || K <= 0 || M % 2 || N % 2 || M > 65534 || K > 65535)
        return false;

    const int mh = M / 2, nh = N / 2;
    float *a2 = nullptr, *b2 = nullptr;
    cudaMalloc(&a2, sizeof(float) * mh * K);
    cudaMalloc(&b2, sizeof(float) * K * nh);

    paar_zeilen<<<dim3(auf(K, 64), mh), 64>>>(A, a2, M, K);
    paar_spalten<<<dim3(auf(nh, 64), K), 64>>>(B, b2, K, N);
    mal<<<dim3(auf(nh, T), auf(mh, T)), dim3(T, T)>>>(a2, b2, C, mh, K, nh);

    cudaDeviceSynchronize();
    cudaFree(a2);
    cudaFree(b2);
    return true;
}

// Winogradov skalarni produkt (1968): polovica množenj, predznaki se odštejejo na koncu.
//   c(i,j) = sum_l (a(i,2l) + b(2l+1,j)) * (a(i,2l+1) + b(2l,j)) - xi(i) - eta(j)
// Vhod int16, izhod int64: natančno za vse vrednosti.  A: M x K po vrsticah, B: K x N po vrsticah.
// Pri lihem K se zadnji člen doda posebej.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

using i16 = int16_t;
using i64 = long long;

__global__ void xi_vrstic(const i16* A, i64* xi, int M, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M) return;
    const i16* a = A + (size_t)i * K;
    i64 s = 0;
    for (int l = 0; l + 1 < K; l += 2) s += (i64)a[l] * a[l + 1];
    xi[i] = s;
}

__global__ void eta_stolpcev(const i16* B, i64* eta, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= N) return;
    i64 s = 0;
    for (int l = 0; l + 1 < K; l += 2) s += (i64)B[(size_t)l * N + j] * B[(size_t)(l + 1) * N + j];
    eta[j] = s;
}

__global__ void winograd(const i16* A, const i16* B, const i64* xi, const i64* eta, i64* C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N) return;

    const i16* a = A + (size_t)i * K;
    const i16* b = B + j;
    i64 s = -xi[i] - eta[j];
    int l = 0;
    for (; l + 1 < K; l += 2) {
        i64 p = a[l] + b[(size_t)(l + 1) * N];
        i64 q = a[l + 1] + b[(size_t)l * N];
        s += p * q;
    }
    if (l < K) s += (i64)a[l] * b[(size_t)l * N];
    C[(size_t)i * N + j] = s;
}

int main()
{
    const int M = 53, N = 38, K = 77;
    i16 *A, *B;
    i64 *C, *xi, *eta;
    cudaMallocManaged(&A, M * K * sizeof(i16));
    cudaMallocManaged(&B, K * N * sizeof(i16));
    cudaMallocManaged(&C, M * N * sizeof(i64));
    cudaMallocManaged(&xi, M * sizeof(i64));
    cudaMallocManaged(&eta, N * sizeof(i64));
    unsigned stanje = 12345;
    auto nakljucno = [&] { stanje = stanje * 1664525u + 1013904223u; return (i16)(stanje >> 16); };
    for (int e = 0; e < M * K; e++) A[e] = nakljucno();
    for (int e = 0; e < K * N; e++) B[e] = nakljucno();

    xi_vrstic<<<(M + 63) / 64, 64>>>(A, xi, M, K);
    eta_stolpcev<<<(N + 63) / 64, 64>>>(B, eta, N, K);
    winograd<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(A, B, xi, eta, C, M, N, K);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 2; }

    int napak = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            i64 s = 0;
            for (int k = 0; k < K; k++) s += (i64)A[i * K + k] * B[k * N + j];
            napak += s != C[i * N + j];
        }
    printf("napak: %d\n", napak);
    cudaFree(A); cudaFree(B); cudaFree(C); cudaFree(xi); cudaFree(eta);
    return napak ? 1 : 0;
}

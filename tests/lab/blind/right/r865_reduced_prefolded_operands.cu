// Redukált szorzat: A 2m x k, B k x 2n (sorfolytonos), C m x n,
// C(i,j) = a teljes A*B szorzat (2i,2j)-nél kezdődő 2x2-es négyzetének összege.
// Előbb összehajtjuk A sorpárjait és B oszloppárjait, utána sima szorzás.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__global__ void hajt_sorok(const float* A, float* Ah, int m, int k)
{
    const long long db = (long long)m * k;
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < db;
         e += (long long)gridDim.x * blockDim.x) {
        const long long i = e / k, p = e % k;
        Ah[e] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
    }
}

__global__ void hajt_oszlopok(const float2* B, float* Bh, int n, int k)
{
    const long long db = (long long)k * n;      // egy float2 = egy oszloppár
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < db;
         e += (long long)gridDim.x * blockDim.x) {
        const float2 v = B[e];
        Bh[e] = v.x + v.y;
    }
}

__global__ void szorzas(const float* Ah, const float* Bh, float* C, int m, int n, int k)
{
    __shared__ float sor[4][64];                // blokk: 32 x 4 szál, 32 oszlop x 4 sor
    const int j = blockIdx.x * 32 + threadIdx.x;
    const int i = blockIdx.y * 4 + threadIdx.y;
    float s = 0.0f;
    for (int p0 = 0; p0 < k; p0 += 64) {
        for (int q = threadIdx.x; q < 64; q += 32)
            sor[threadIdx.y][q] = (i < m && p0 + q < k) ? Ah[(size_t)i * k + p0 + q] : 0.0f;
        __syncthreads();
        if (j < n) {
            const int veg = min(64, k - p0);
            for (int q = 0; q < veg; ++q)
                s += sor[threadIdx.y][q] * Bh[(size_t)(p0 + q) * n + j];
        }
        __syncthreads();
    }
    if (i < m && j < n) C[(size_t)i * n + j] = s;
}

int main()
{
    const int m = 37, n = 45, k = 131;
    float *A, *B, *Ah, *Bh, *C;
    cudaMallocManaged(&A, sizeof(float) * 2 * m * k);
    cudaMallocManaged(&B, sizeof(float) * k * 2 * n);
    cudaMallocManaged(&C, sizeof(float) * m * n);
    cudaMalloc(&Ah, sizeof(float) * m * k);
    cudaMalloc(&Bh, sizeof(float) * k * n);
    srand(5);
    for (int i = 0; i < 2 * m * k; i++) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < 2 * k * n; i++) B[i] = rand() / (float)RAND_MAX - 0.5f;

    hajt_sorok<<<20, 128>>>(A, Ah, m, k);
    hajt_oszlopok<<<20, 128>>>((const float2*)B, Bh, n, k);
    szorzas<<<dim3((n + 31) / 32, (m + 3) / 4), dim3(32, 4)>>>(Ah, Bh, C, m, n, k);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("CUDA hiba\n"); return 2; }

    double elteres = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int r = 2 * i; r < 2 * i + 2; r++)
                for (int c = 2 * j; c < 2 * j + 2; c++)
                    for (int p = 0; p < k; p++) s += (double)A[r * k + p] * B[p * 2 * n + c];
            elteres = fmax(elteres, fabs(s - C[i * n + j]));
        }
    printf("legnagyobb elteres: %g -> %s\n", elteres, elteres < 1e-3 ? "jo" : "ROSSZ");
    cudaFree(A); cudaFree(B); cudaFree(Ah); cudaFree(Bh); cudaFree(C);
    return elteres < 1e-3 ? 0 : 1;
}

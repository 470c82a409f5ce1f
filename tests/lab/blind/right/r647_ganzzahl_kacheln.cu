#include <cstdio>
#include <cuda_runtime.h>

/* Ganzzahlige Matrixmultiplikation mit quadratischen Kacheln.
   Die Kachelbreite ist ein Template-Parameter. */
template <int KACHEL>
__global__ void matmulKachel(const int* __restrict__ a, const int* __restrict__ b,
                             int* __restrict__ c, int n)
{
    __shared__ int ka[KACHEL][KACHEL];
    __shared__ int kb[KACHEL][KACHEL];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int zeile  = blockIdx.y * KACHEL + ty;
    const int spalte = blockIdx.x * KACHEL + tx;
    int summe = 0;

    for (int start = 0; start < n; start += KACHEL) {
        ka[ty][tx] = (zeile < n && start + tx < n) ? a[zeile * n + start + tx] : 0;
        kb[ty][tx] = (spalte < n && start + ty < n) ? b[(start + ty) * n + spalte] : 0;
        __syncthreads();
        #pragma unroll
        for (int q = 0; q < KACHEL; ++q)
            summe += ka[ty][q] * kb[q][tx];
        __syncthreads();
    }

    if (zeile < n && spalte < n)
        c[zeile * n + spalte] = summe;
}

template <int KACHEL>
int pruefe(int n)
{
    int *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(int));
    cudaMallocManaged(&b, n * n * sizeof(int));
    cudaMallocManaged(&c, n * n * sizeof(int));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = i + j;
            b[i * n + j] = i - j;
        }

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (n + KACHEL - 1) / KACHEL);
    matmulKachel<KACHEL><<<gitter, block>>>(a, b, c, n);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        printf("Fehler: %s\n", cudaGetErrorString(status));
        return 1;
    }

    int fehler = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int soll = 0;
            for (int q = 0; q < n; ++q) soll += (i + q) * (q - j);
            fehler += soll != c[i * n + j];
        }
    printf("Kachel %2d, n = %3d: %d Fehler\n", KACHEL, n, fehler);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return fehler;
}

int main()
{
    int f = 0;
    f += pruefe<8>(50);
    f += pruefe<16>(128);
    f += pruefe<32>(97);
    return f ? 1 : 0;
}

#include <cstdio>
#include <cuda_runtime.h>

// Součin celočíselných matic, vnitřní rozměr je rozdělen mezi bloky v ose z.
// Matice C musí být před spuštěním vynulovaná.

#define D 16
#define CASTI 4

__global__ void soucin(const int *a, const int *b, int *c, int radky, int vnitrek, int sloupce)
{
    __shared__ int da[D][D];
    __shared__ int db[D][D];

    int r = blockIdx.y * D + threadIdx.y;
    int s = blockIdx.x * D + threadIdx.x;

    int dlazdic = (vnitrek + D - 1) / D;
    // dlaždice z, z + CASTI, z + 2 * CASTI, ...
    int soucet = 0;
    for (int d = blockIdx.z; d < dlazdic; d += gridDim.z) {
        int ka = d * D + threadIdx.x;
        int kb = d * D + threadIdx.y;
        da[threadIdx.y][threadIdx.x] = (r < radky && ka < vnitrek) ? a[r * vnitrek + ka] : 0;
        db[threadIdx.y][threadIdx.x] = (kb < vnitrek && s < sloupce) ? b[kb * sloupce + s] : 0;
        __syncthreads();
        for (int k = 0; k < D; k++)
            soucet += da[threadIdx.y][k] * db[k][threadIdx.x];
        __syncthreads();
    }

    if (r < radky && s < sloupce)
        c[r * sloupce + s] += soucet;
}

int main()
{
    const int radky = 64, vnitrek = 500, sloupce = 90;
    int *a, *b, *c;
    cudaMallocManaged(&a, radky * vnitrek * sizeof(int));
    cudaMallocManaged(&b, vnitrek * sloupce * sizeof(int));
    cudaMallocManaged(&c, radky * sloupce * sizeof(int));
    for (int i = 0; i < radky * vnitrek; i++) a[i] = i % 11 - 5;
    for (int i = 0; i < vnitrek * sloupce; i++) b[i] = i % 13 - 6;
    cudaMemset(c, 0, radky * sloupce * sizeof(int));

    dim3 mrizka((sloupce + D - 1) / D, (radky + D - 1) / D, CASTI);
    soucin<<<mrizka, dim3(D, D)>>>(a, b, c, radky, vnitrek, sloupce);
    cudaDeviceSynchronize();

    int chyby = 0;
    for (int i = 0; i < radky; i++)
        for (int j = 0; j < sloupce; j++) {
            int x = 0;
            for (int k = 0; k < vnitrek; k++) x += a[i * vnitrek + k] * b[k * sloupce + j];
            chyby += (x != c[i * sloupce + j]);
        }
    printf("chyb: %d\n", chyby);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

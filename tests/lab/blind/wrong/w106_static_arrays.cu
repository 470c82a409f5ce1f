// integer matrices in global __device__ arrays, the kernel needs no pointers
#include <cstdio>

#define N 64
#define TW 16

__device__ int dA[N][N];
__device__ int dB[N][N];
__device__ int dC[N][N];

int hA[N][N], hB[N][N], hC[N][N];

__global__ void multiply()
{
    __shared__ int a[TW][TW];
    __shared__ int b[TW][TW];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * TW + y;
    int j = blockIdx.x * TW + x;
    int sum = 0;

    for (int t = 0; t < N / TW; t++) {
        a[y][x] = dA[i][t * TW + x];
        b[y][x] = dB[t * TW + y][j];
        __syncthreads();
        // unrolled by 4
        for (int k = 0; k + 4 < TW; k += 4) {
            sum += a[y][k] * b[k][x];
            sum += a[y][k + 1] * b[k + 1][x];
            sum += a[y][k + 2] * b[k + 2][x];
            sum += a[y][k + 3] * b[k + 3][x];
        }
        __syncthreads();
    }
    dC[i][j] = sum;
}

int main()
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            hA[i][j] = (i + 2 * j) % 9;
            hB[i][j] = (3 * i + j) % 7;
        }
    cudaMemcpyToSymbol(dA, hA, sizeof(hA));
    cudaMemcpyToSymbol(dB, hB, sizeof(hB));

    multiply<<<dim3(N / TW, N / TW), dim3(TW, TW)>>>();
    cudaMemcpyFromSymbol(hC, dC, sizeof(hC));

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < N; k++) s += hA[i][k] * hB[k][j];
            if (s != hC[i][j]) {
                printf("error in row %d, column %d\n", i, j);
                return 1;
            }
        }
    printf("no errors\n");
    return 0;
}

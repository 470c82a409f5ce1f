/* Odev 5: C = A^T * B^T  (int)
   A : K x M, B : N x K, C : M x N, hepsi satir oncelikli */
#include <stdio.h>
#include <stdlib.h>

#define SATIR 32            /* bloktaki C satirlari  */
#define SUTUN 8             /* bloktaki C sutunlari  */
#define DERIN 32            /* K yonunde karo boyu   */
#define IPLIK (SATIR * SUTUN)

#define A_(k, m) A[(k) * M + (m)]
#define B_(n, k) B[(n) * K + (k)]
#define C_(m, n) C[(m) * N + (n)]

__global__ void devrik_carpim(const int *A, const int *B, int *C, int M, int N, int K)
{
    __shared__ int ka[DERIN][SATIR];
    __shared__ int kb[SUTUN][DERIN + 1];

    int n  = blockIdx.x * SUTUN + threadIdx.x;
    int m  = blockIdx.y * SATIR + threadIdx.y;
    int id = threadIdx.y * SUTUN + threadIdx.x;     /* 0 .. 255 */
    int toplam = 0;

    for (int k0 = 0; k0 < K; k0 += DERIN) {
        /* A karosu: 32 x 32, her iplik 4 eleman */
        for (int e = id; e < DERIN * SATIR; e += IPLIK) {
            int kk = e / SATIR, mm = e % SATIR;
            int gm = blockIdx.y * SATIR + mm;
            ka[kk][mm] = (k0 + kk < K && gm < M) ? A_(k0 + kk, gm) : 0;
        }
        /* B karosu: 8 x 32, her iplik 1 eleman */
        {
            int nn = id / DERIN, kk = id % DERIN;
            int gn = blockIdx.x * SUTUN + nn;
            kb[nn][kk] = (gn < N && k0 + kk < K) ? B_(gn, k0 + kk) : 0;
        }
        __syncthreads();

        for (int kk = 0; kk < DERIN; kk++)
            toplam += ka[kk][threadIdx.y] * kb[threadIdx.x][kk];

        __syncthreads();
    }

    if (m < M && n < N)
        C_(m, n) = toplam;
}

int main(int argc, char **argv)
{
    int M = 75, N = 30, K = 41, i, j, k, hata = 0;
    int *A, *B, *C, *dA, *dB, *dC;
    if (argc > 3) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    A = (int *)malloc(sizeof(int) * K * M);
    B = (int *)malloc(sizeof(int) * N * K);
    C = (int *)malloc(sizeof(int) * M * N);
    for (i = 0; i < K * M; i++) A_(0, i) = rand() % 20 - 10;
    for (i = 0; i < N * K; i++) B_(0, i) = rand() % 20 - 10;

    cudaMalloc((void **)&dA, sizeof(int) * K * M);
    cudaMalloc((void **)&dB, sizeof(int) * N * K);
    cudaMalloc((void **)&dC, sizeof(int) * M * N);
    cudaMemcpy(dA, A, sizeof(int) * K * M, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(int) * N * K, cudaMemcpyHostToDevice);

    dim3 blok(SUTUN, SATIR);
    dim3 izgara((N + SUTUN - 1) / SUTUN, (M + SATIR - 1) / SATIR);
    devrik_carpim<<<izgara, blok>>>(dA, dB, dC, M, N, K);

    cudaMemcpy(C, dC, sizeof(int) * M * N, cudaMemcpyDeviceToHost);

    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            int t = 0;
            for (k = 0; k < K; k++) t += A_(k, i) * B_(j, k);
            if (t != C_(i, j)) hata++;
        }
    printf("hata sayisi = %d\n", hata);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return hata != 0;
}

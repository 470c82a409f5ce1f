// TP GPU - produit de matrices int8 -> int32 avec __dp4a
// A : M x K (lignes), Bt : N x K (B deja transposee), C : M x N.  C = A * Bt^T
// K multiple de 4 : on lit quatre int8 a la fois dans un int.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BX 64      /* colonnes par bloc */
#define BY 4
#define LPT 2      /* lignes par thread */
#define BL (BY*LPT)
#define KP 8       /* paquets de 4 par tuile */

__global__ void mm_dp4a(const int *A, const int *Bt, int *C, int M, int N, int KQ)
{
    __shared__ int sa[BL][KP];
    __shared__ int sb[KP][BX + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int tid = ty * BX + tx;
    int lig0 = blockIdx.y * BL, col0 = blockIdx.x * BX;
    int acc[LPT] = {0, 0};

    for (int q0 = 0; q0 < KQ; q0 += KP) {
        if (tid < BL * KP) {                       /* 64 threads suffisent pour A */
            int r = tid / KP, q = tid % KP;
            sa[r][q] = (lig0 + r < M && q0 + q < KQ) ? A[(lig0 + r) * KQ + q0 + q] : 0;
        }
        for (int e = tid; e < BX * KP; e += BX * BY) {
            int c = e / KP, q = e % KP;
            sb[q][c] = (col0 + c < N && q0 + q < KQ) ? Bt[(col0 + c) * KQ + q0 + q] : 0;
        }
        __syncthreads();
        #pragma unroll
        for (int q = 0; q < KP; q++) {
            int b = sb[q][tx];
            for (int l = 0; l < LPT; l++)
                acc[l] = __dp4a(sa[ty + l * BY][q], b, acc[l]);
        }
        __syncthreads();
    }
    for (int l = 0; l < LPT; l++) {
        int lig = lig0 + ty + l * BY, col = col0 + tx;
        if (lig < M && col < N) C[lig * N + col] = acc[l];
    }
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 61;
    int N = argc > 2 ? atoi(argv[2]) : 150;
    int K = argc > 3 ? atoi(argv[3]) : 76;
    if (M < 1 || N < 1 || M > 20000 || N > 20000 || K < 4 || K > 100000 || K % 4 != 0) {
        fprintf(stderr, "il faut M,N >= 1 et K multiple de 4 (au plus 100000)\n");
        return 1;
    }
    signed char *hA = (signed char *)malloc(M * K);
    signed char *hB = (signed char *)malloc(N * K);
    int *hC = (int *)malloc(M * N * sizeof(int));
    for (int i = 0; i < M * K; i++) hA[i] = (signed char)(rand() % 256 - 128);
    for (int i = 0; i < N * K; i++) hB[i] = (signed char)(rand() % 256 - 128);

    int *dA, *dB, *dC;
    cudaMalloc(&dA, M * K);
    cudaMalloc(&dB, N * K);
    cudaMalloc(&dC, M * N * sizeof(int));
    cudaMemcpy(dA, hA, M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, N * K, cudaMemcpyHostToDevice);

    dim3 bloc(BX, BY), grille((N + BX - 1) / BX, (M + BL - 1) / BL);
    mm_dp4a<<<grille, bloc>>>(dA, dB, dC, M, N, K / 4);
    cudaMemcpy(hC, dC, M * N * sizeof(int), cudaMemcpyDeviceToHost);

    int fautes = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < K; k++) s += (int)hA[i * K + k] * (int)hB[j * K + k];
            if (s != hC[i * N + j]) fautes++;
        }
    printf("%d fautes\n", fautes);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return fautes > 0;
}

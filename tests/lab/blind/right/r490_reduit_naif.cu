// TP 3 : produit reduit
//   R[i][j] = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
// A : lignes x commun, B : commun x colonnes ; lignes et colonnes sont paires.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

__global__ void produit_reduit(const float *A, const float *B, float *R,
                               int lignes, int commun, int colonnes)
{
    int demi_l = lignes >> 1;
    int demi_c = colonnes >> 1;
    int total = demi_l * demi_c;

    for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < total;
         idx += gridDim.x * blockDim.x) {
        int i = idx / demi_c;
        int j = idx - i * demi_c;
        const float *haut = A + 2 * i * commun;
        const float *bas = haut + commun;
        float somme = 0.f;
        for (int k = 0; k < commun; k++) {
            const float *b = B + k * colonnes + 2 * j;
            somme += (haut[k] + bas[k]) * (b[0] + b[1]);
        }
        R[idx] = somme;
    }
}

static void reference(const float *A, const float *B, float *R, int l, int c, int n)
{
    for (int i = 0; i < l / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            double s = 0;
            for (int k = 0; k < c; k++)
                s += ((double)A[2 * i * c + k] + A[(2 * i + 1) * c + k]) *
                     ((double)B[k * n + 2 * j] + B[k * n + 2 * j + 1]);
            R[i * (n / 2) + j] = (float)s;
        }
}

int main(void)
{
    const int l = 130, c = 55, n = 214;
    size_t tA = sizeof(float) * l * c, tB = sizeof(float) * c * n;
    size_t tR = sizeof(float) * (l / 2) * (n / 2);
    float *A = (float *)malloc(tA), *B = (float *)malloc(tB);
    float *R = (float *)malloc(tR), *V = (float *)malloc(tR);
    for (int i = 0; i < l * c; i++) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < c * n; i++) B[i] = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dR;
    cudaMalloc((void **)&dA, tA);
    cudaMalloc((void **)&dB, tB);
    cudaMalloc((void **)&dR, tR);
    cudaMemcpy(dA, A, tA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, tB, cudaMemcpyHostToDevice);
    produit_reduit<<<20, 192>>>(dA, dB, dR, l, c, n);
    cudaMemcpy(R, dR, tR, cudaMemcpyDeviceToHost);

    reference(A, B, V, l, c, n);
    float ecart = 0.f;
    for (int i = 0; i < (l / 2) * (n / 2); i++) ecart = fmaxf(ecart, fabsf(R[i] - V[i]));
    printf("ecart maximal : %g %s\n", ecart, ecart < 1e-3f ? "(correct)" : "(FAUX)");

    cudaFree(dA); cudaFree(dB); cudaFree(dR);
    free(A); free(B); free(R); free(V);
    return ecart < 1e-3f ? 0 : 1;
}

// Trabalho pratico: multiplicacao de matrizes com leituras de 128 bits.
// Cada thread calcula 4 colunas vizinhas de uma linha de C.
// O numero de colunas tem de ser multiplo de 4.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define LINHAS  90
#define MEIO    50
#define COLUNAS 120

__global__ void multiplica4(const float *A, const float4 *B, float4 *C,
                            int linhas, int meio, int grupos)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;   // grupo de 4 colunas
    int l = blockIdx.y * blockDim.y + threadIdx.y;

    if (l < linhas && g < grupos) {
        float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
        for (int k = 0; k < meio; k++) {
            float a = A[l * meio + k];
            float4 b = B[k * grupos + g];
            s.x += a * b.x;
            s.y += a * b.y;
            s.z += a * b.z;
            s.w += a * b.w;
        }
        C[l * grupos + g] = s;
    }
}

int main()
{
    static float A[LINHAS * MEIO], B[MEIO * COLUNAS], C[LINHAS * COLUNAS];
    for (int i = 0; i < LINHAS * MEIO; i++)  A[i] = (rand() % 100) / 50.0f;
    for (int i = 0; i < MEIO * COLUNAS; i++) B[i] = (rand() % 100) / 25.0f;

    float *dA;
    float4 *dB, *dC;
    cudaMalloc((void **)&dA, sizeof(A));
    cudaMalloc((void **)&dB, sizeof(B));
    cudaMalloc((void **)&dC, sizeof(C));
    cudaMemcpy(dA, A, sizeof(A), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(B), cudaMemcpyHostToDevice);

    int grupos = COLUNAS / 4;
    dim3 bloco(8, 16);
    dim3 grade((grupos + bloco.x - 1) / bloco.x, (LINHAS + bloco.y - 1) / bloco.y);
    multiplica4<<<grade, bloco>>>(dA, dB, dC, LINHAS, MEIO, grupos);
    cudaDeviceSynchronize();
    cudaMemcpy(C, dC, sizeof(C), cudaMemcpyDeviceToHost);

    int erros = 0;
    for (int l = 0; l < LINHAS; l++)
        for (int c = 0; c < COLUNAS; c++) {
            double ref = 0.0;
            for (int k = 0; k < MEIO; k++)
                ref += (double)A[l * MEIO + k] * B[k * COLUNAS + c];
            if (fabs(ref - C[l * COLUNAS + c]) > 1e-2)
                erros++;
        }
    printf("%s\n", erros == 0 ? "resultado correto" : "resultado errado");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return erros != 0;
}

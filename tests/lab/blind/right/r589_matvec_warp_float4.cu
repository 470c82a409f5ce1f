// Lista 2 - produto matriz-vetor y = A x
// Um warp por linha, leituras de 16 bytes.
//
// A: linhas x colunas (por linhas), x: colunas, y: linhas.
// Precisa: colunas multiplo de 4, ponteiros vindos de cudaMalloc.
// Linhas: qualquer quantidade.
//
// Lancamento:
//   int blocos = (linhas + WARPS_POR_BLOCO - 1) / WARPS_POR_BLOCO;
//   matvec_warp<<<blocos, WARPS_POR_BLOCO * 32>>>(A, x, y, linhas, colunas);
#include <cuda_runtime.h>

#define WARPS_POR_BLOCO 8
#define TODAS 0xffffffffu

__device__ __forceinline__ float produto4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ __forceinline__ float soma_warp(float v)
{
    v += __shfl_xor_sync(TODAS, v, 16);
    v += __shfl_xor_sync(TODAS, v, 8);
    v += __shfl_xor_sync(TODAS, v, 4);
    v += __shfl_xor_sync(TODAS, v, 2);
    v += __shfl_xor_sync(TODAS, v, 1);
    return v;
}

__global__ void matvec_warp(const float *A, const float *x, float *y,
                            int linhas, int colunas)
{
    int warp = threadIdx.x >> 5;
    int lane = threadIdx.x & 31;
    int linha = blockIdx.x * WARPS_POR_BLOCO + warp;

    // o warp inteiro sai junto, entao os shuffles abaixo estao completos
    if (linha >= linhas)
        return;

    int grupos = colunas / 4;
    const float4 *a4 = (const float4 *)(A + (size_t)linha * colunas);
    const float4 *x4 = (const float4 *)x;

    float soma = 0.0f;
    for (int g = lane; g < grupos; g += 32)
        soma += produto4(a4[g], x4[g]);

    soma = soma_warp(soma);
    if (lane == 0)
        y[linha] = soma;
}

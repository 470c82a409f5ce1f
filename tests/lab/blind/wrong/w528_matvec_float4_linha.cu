#include <cuda_runtime.h>

/*
 * y = A x, uma linha de A por bloco, leitura vetorizada com float4.
 *
 *   A : m x n por linhas, dimensão principal lda (múltiplo de 4, lda >= n)
 *   x : n elementos, y : m elementos
 *   m e n quaisquer; ponteiros alinhados a 16 bytes (cudaMalloc)
 *
 * Lançamento: matvecV4<128><<<m, 128>>>(...)
 */
template <int NT>
__global__ void matvecV4(const float *__restrict__ A, int lda, const float *__restrict__ x,
                         float *__restrict__ y, int m, int n)
{
    static_assert(NT % 32 == 0 && NT <= 1024, "NT deve ser multiplo do warp");
    __shared__ float parcial[NT / 32];

    const int linha = blockIdx.x;
    const float4 *a4 = reinterpret_cast<const float4 *>(A + (size_t)linha * lda);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);

    float soma = 0.0f;
    for (int j = threadIdx.x; j < n / 4; j += NT) {
        const float4 a = a4[j];
        const float4 v = x4[j];
        soma = fmaf(a.x, v.x, soma);
        soma = fmaf(a.y, v.y, soma);
        soma = fmaf(a.z, v.z, soma);
        soma = fmaf(a.w, v.w, soma);
    }

    // redução em borboleta dentro do warp
#pragma unroll
    for (int d = 16; d >= 1; d /= 2)
        soma += __shfl_xor_sync(0xffffffff, soma, d);

    if ((threadIdx.x & 31) == 0)
        parcial[threadIdx.x >> 5] = soma;
    __syncthreads();

    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < NT / 32; ++w)
            total += parcial[w];
        y[linha] = total;
    }
}

template __global__ void matvecV4<128>(const float *, int, const float *, float *, int, int);
template __global__ void matvecV4<256>(const float *, int, const float *, float *, int, int);

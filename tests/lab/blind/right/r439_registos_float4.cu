// Produto com blocos de registos 4x4 e leituras float4.
// Exige-se: m e n multiplos de 64, k multiplo de 16, ponteiros vindos de cudaMalloc.
// Lancar com <<<dim3(n/64, m/64), 256>>>.
#include <cuda_runtime.h>

constexpr int LADO = 64;
constexpr int PASSO = 16;
constexpr int FIOS = 256;

__global__ void __launch_bounds__(FIOS)
produto_registos(const float *__restrict__ A, const float *__restrict__ B,
                 float *__restrict__ C, int m, int n, int k)
{
    __shared__ __align__(16) float fatiaA[PASSO][LADO + 4];   // guardada transposta
    __shared__ __align__(16) float fatiaB[PASSO][LADO];

    const int fio = threadIdx.x;
    const int linha0 = blockIdx.y * LADO;
    const int coluna0 = blockIdx.x * LADO;

    // quem le o que
    const int aLin = fio / 4, aCol = (fio % 4) * 4;     // 64 x 16
    const int bLin = fio / 16, bCol = (fio % 16) * 4;   // 16 x 64

    // quem calcula o que
    const int ri = (fio / 16) * 4;
    const int rj = (fio % 16) * 4;

    float soma[4][4] = {};

    for (int p0 = 0; p0 < k; p0 += PASSO) {
        const float4 va = *reinterpret_cast<const float4 *>(
            &A[(size_t)(linha0 + aLin) * k + p0 + aCol]);
        const float4 vb = *reinterpret_cast<const float4 *>(
            &B[(size_t)(p0 + bLin) * n + coluna0 + bCol]);

        fatiaA[aCol + 0][aLin] = va.x;
        fatiaA[aCol + 1][aLin] = va.y;
        fatiaA[aCol + 2][aLin] = va.z;
        fatiaA[aCol + 3][aLin] = va.w;
        *reinterpret_cast<float4 *>(&fatiaB[bLin][bCol]) = vb;
        __syncthreads();

        for (int p = 0; p < PASSO; ++p) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; ++i) ra[i] = fatiaA[p][ri + i];
            for (int j = 0; j < 4; ++j) rb[j] = fatiaB[p][rj + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    soma[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        float4 saida = make_float4(soma[i][0], soma[i][1], soma[i][2], soma[i][3]);
        *reinterpret_cast<float4 *>(&C[(size_t)(linha0 + ri + i) * n + coluna0 + rj]) = saida;
    }
}

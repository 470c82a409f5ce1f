/* Multiplicacao de matrizes com dois buffers e leituras float4.
 * Bloco de 256 threads (1D), bloco de saida 64 x 64, passo 16 no eixo interno.
 * Exige M e N multiplos de 64 e K multiplo de 16 (K >= 16), ponteiros alinhados a 16 bytes.
 * grade = (N / 64, M / 64)
 */
#define BM 64
#define BN 64
#define BK 16

__global__ __launch_bounds__(256)
void sgemm_duplo(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[2][BK][BM];       // A guardada transposta
    __shared__ __align__(16) float Bs[2][BK][BN];

    const int t   = threadIdx.x;
    const int lin = (t / 16) * 4;         // 4 linhas por thread
    const int col = (t % 16) * 4;         // 4 colunas por thread

    const int aLin = t / 4,  aCol = (t % 4) * 4;    // 64 x 16 de A
    const int bLin = t / 16, bCol = (t % 16) * 4;   // 16 x 64 de B

    const float *pa = A + (size_t)(blockIdx.y * BM + aLin) * K + aCol;
    const float *pb = B + (size_t)bLin * N + blockIdx.x * BN + bCol;

    float soma[4][4] = {};

    float4 va = *reinterpret_cast<const float4 *>(pa);
    float4 vb = *reinterpret_cast<const float4 *>(pb);
    int atual = 0;
    As[0][aCol + 0][aLin] = va.x;
    As[0][aCol + 1][aLin] = va.y;
    As[0][aCol + 2][aLin] = va.z;
    As[0][aCol + 3][aLin] = va.w;
    *reinterpret_cast<float4 *>(&Bs[0][bLin][bCol]) = vb;
    __syncthreads();

    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool falta = k0 + BK < K;
        if (falta) {
            pa += BK;
            pb += (size_t)BK * N;
            va = *reinterpret_cast<const float4 *>(pa);
            vb = *reinterpret_cast<const float4 *>(pb);
        }
        for (int k = 0; k < BK; k++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) ra[i] = As[atual][k][lin + i];
            for (int j = 0; j < 4; j++) rb[j] = Bs[atual][k][col + j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    soma[i][j] += ra[i] * rb[j];
        }
        if (falta) {
            const int prox = atual ^ 1;
            As[prox][aCol + 0][aLin] = va.x;
            As[prox][aCol + 1][aLin] = va.y;
            As[prox][aCol + 2][aLin] = va.z;
            As[prox][aCol + 3][aLin] = va.w;
            *reinterpret_cast<float4 *>(&Bs[prox][bLin][bCol]) = vb;
            atual = prox;
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; i++) {
        float4 r = make_float4(soma[i][0], soma[i][1], soma[i][2], soma[i][3]);
        size_t pos = (size_t)(blockIdx.y * BM + lin + i) * N + blockIdx.x * BN + col;
        *reinterpret_cast<float4 *>(C + pos) = r;
    }
}

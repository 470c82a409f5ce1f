// Multiplicación reducida con sumas por pares:
// C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// bloque (TESELA,TESELA), malla (ceil((n/2)/TESELA), ceil((m/2)/TESELA)); m y n pares
const int TESELA = 16;

__global__ void multReducida(int m, int n, int p, const float *A, const float *B, float *C)
{
    __shared__ float pa[TESELA][TESELA];
    __shared__ float pb[TESELA][TESELA];

    const int mitadM = m / 2;
    const int mitadN = n / 2;
    const int i = blockIdx.y * TESELA + threadIdx.y;
    const int j = blockIdx.x * TESELA + threadIdx.x;
    float total = 0.0f;

    for (int inicio = 0; inicio < p; inicio += TESELA) {
        const int ka = inicio + threadIdx.x;
        const int kb = inicio + threadIdx.y;

        float parA = 0.0f;
        if (i < mitadM && ka < p)
            parA = A[(2 * i) * p + ka] + A[(2 * i + 1) * p + ka];
        pa[threadIdx.y][threadIdx.x] = parA;

        float parB = 0.0f;
        if (kb < p && j < mitadN)
            parB = B[kb * n + 2 * j] + B[kb * n + 2 * j + 1];
        pb[threadIdx.y][threadIdx.x] = parB;
        __syncthreads();

        for (int k = 0; k < TESELA; ++k)
            total += pa[threadIdx.y][k] * pb[k][threadIdx.x];
        __syncthreads();
    }

    if (i < mitadM && j < mitadN)
        C[i * mitadN + j] = total;
}

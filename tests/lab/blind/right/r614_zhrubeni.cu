// Domácí úkol: hrubší vlákna - každé vlákno počítá čtyři sloupce výsledku
// C = alfa * A * B + beta * C,  A je M x K, B je K x N
// (spouští se s bloky 16 x 16 a mřížkou ceil(N/64) x ceil(M/16))

__constant__ float koef[2];   // koef[0] = alfa, koef[1] = beta

#define D   16
#define POC 4

__global__ void nasobeniHrube(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[D][D];
    __shared__ float b[D][D * POC];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int radek = blockIdx.y * D + ty;
    int sloupec0 = blockIdx.x * D * POC + tx;

    float soucet[POC];
    for (int p = 0; p < POC; p++)
        soucet[p] = 0.0f;

    for (int faze = 0; faze < (K + D - 1) / D; faze++) {
        // jeden prvek z A
        int ka = faze * D + tx;
        if (radek < M && ka < K)
            a[ty][tx] = A[radek * K + ka];
        else
            a[ty][tx] = 0.0f;

        // čtyři prvky z B
        int kb = faze * D + ty;
        for (int p = 0; p < POC; p++) {
            int s = sloupec0 + p * D;
            if (kb < K && s < N)
                b[ty][tx + p * D] = B[kb * N + s];
            else
                b[ty][tx + p * D] = 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < D; k++) {
            float hodnota = a[ty][k];
            for (int p = 0; p < POC; p++)
                soucet[p] += hodnota * b[k][tx + p * D];
        }
        __syncthreads();
    }

    if (radek < M) {
        for (int p = 0; p < POC; p++) {
            int s = sloupec0 + p * D;
            if (s < N) {
                float puvodni = koef[1] != 0.0f ? koef[1] * C[radek * N + s] : 0.0f;
                C[radek * N + s] = koef[0] * soucet[p] + puvodni;
            }
        }
    }
}

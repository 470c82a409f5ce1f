// Reduzierte Matrixmultiplikation, C ist (m/2) x (n/2); m und n gerade
// Block (32, 8), Gitter (aufrunden((n/2)/32), aufrunden((m/2)/8))
// A: m x p, B: p x n, alles zeilenweise
__global__ void redMatMul(const float *__restrict__ A, const float *__restrict__ B,
                          float *__restrict__ C, int m, int n, int p)
{
    const int spalte = blockIdx.x * blockDim.x + threadIdx.x;
    const int zeile = blockIdx.y * blockDim.y + threadIdx.y;
    const int halbM = m / 2;
    const int halbN = n / 2;

    if (zeile < halbM && spalte < halbN) {
        const float *a0 = A + (2 * zeile) * p;
        const float *a1 = A + (2 * zeile + 1) * p;
        float summe = 0.0f;
        for (int k = 0; k < p; ++k) {
            const float b0 = B[k * n + 2 * spalte];
            const float b1 = B[k * n + 2 * spalte + 1];
            summe += a0[k] * b0;
            summe += a0[k] * b1;
            summe += a1[k] * b1;
        }
        C[zeile * halbN + spalte] = summe;
    }
}

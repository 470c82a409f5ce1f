// Praktikum, Blatt 5: C = A * B mit dynamischem Shared Memory.
// A ist m x k, B ist k x n. Eindimensionale Blöcke mit KB * KB Threads,
// Gitter ((n + KB - 1) / KB, (m + KB - 1) / KB),
// dynamischer Shared Memory: 2 * KB * KB * sizeof(double).
#define KB 16

extern __shared__ double speicher[];

__global__ void produktFlach(const double *A, const double *B, double *C,
                             int m, int n, int k)
{
    double *kA = speicher;
    double *kB = speicher + KB * KB;

    const int t  = threadIdx.x;
    const int tz = t / KB;
    const int ts = t % KB;
    const int zeile  = blockIdx.y * KB + tz;
    const int spalte = blockIdx.x * KB + ts;

    double summe = 0.0;
    for (int anfang = 0; anfang < k; anfang += KB) {
        // Kacheln füllen, außerhalb der Matrizen mit Null
        kA[t] = (zeile < m && anfang + ts < k) ? A[zeile * k + anfang + ts] : 0.0;
        kB[t] = (anfang + tz < k && spalte < n) ? B[(anfang + tz) * n + spalte] : 0.0;

        for (int i = 0; i < KB; ++i)
            summe += kA[tz * KB + i] * kB[i * KB + ts];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

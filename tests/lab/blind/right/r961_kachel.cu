// Matrizenmultiplikation C = A * B, alles zeilenweise gespeichert.
// A: hoehe x innen, B: innen x breite, C: hoehe x breite, beliebige Groessen
//
// Aufruf:
//   dim3 block(KACHEL, KACHEL);
//   dim3 gitter((breite + KACHEL - 1) / KACHEL, (hoehe + KACHEL - 1) / KACHEL);
//   matmul_kachel<<<gitter, block>>>(A, B, C, hoehe, breite, innen);
#define KACHEL 16
#define ZEILE (KACHEL + 1)

__global__ void matmul_kachel(const float *A, const float *B, float *C,
                              int hoehe, int breite, int innen)
{
    __shared__ float kA[KACHEL * ZEILE];
    __shared__ float kB[KACHEL * ZEILE];

    const int x = threadIdx.x, y = threadIdx.y;
    const int spalte = blockIdx.x * KACHEL + x;
    const int zeile  = blockIdx.y * KACHEL + y;
    float summe = 0.0f;

    for (int start = 0; start < innen; start += KACHEL) {
        const int rest = min(KACHEL, innen - start);   // letzte Kachel kann schmaler sein
        if (zeile < hoehe && x < rest)
            kA[y * ZEILE + x] = A[zeile * innen + start + x];
        if (spalte < breite && y < rest)
            kB[y * ZEILE + x] = B[(start + y) * breite + spalte];
        __syncthreads();
        for (int i = 0; i < rest; i++)
            summe += kA[y * ZEILE + i] * kB[i * ZEILE + x];
        __syncthreads();
    }
    if (zeile < hoehe && spalte < breite)
        C[zeile * breite + spalte] = summe;
}

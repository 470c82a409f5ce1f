// Übung 4, Aufgabe 2: gekachelte Matrixmultiplikation mit eindimensionalen Blöcken
//
// Voraussetzung: N ist ein Vielfaches von KACHEL.
// Start: matmulKachel<<< dim3(N/KACHEL, N/KACHEL), KACHEL*KACHEL >>>(N, dA, dB, dC);
//
// Jeder Block fängt bei einer anderen Kachel an, damit nicht alle Blöcke
// gleichzeitig dieselben Zeilen von B lesen. Die Summe ist dieselbe.

#define KACHEL 16

__global__ void matmulKachel(const int N,
                             const float * __restrict__ A,
                             const float * __restrict__ B,
                             float * __restrict__ C)
{
    __shared__ float kachelA[KACHEL * KACHEL];
    __shared__ float kachelB[KACHEL * KACHEL];

    const int z = threadIdx.x / KACHEL;   // Zeile in der Kachel
    const int s = threadIdx.x % KACHEL;   // Spalte in der Kachel
    const int zeile  = blockIdx.y * KACHEL + z;
    const int spalte = blockIdx.x * KACHEL + s;

    const int anzahl = N / KACHEL;
    float summe = 0.0f;

    for (int schritt = 0; schritt < anzahl; schritt++)
    {
        const int t = (schritt + blockIdx.x) % anzahl;

        kachelA[threadIdx.x] = A[zeile * N + (t * KACHEL + s)];
        kachelB[threadIdx.x] = B[(t * KACHEL + z) * N + spalte];
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < KACHEL; k++)
            summe += kachelA[z * KACHEL + k] * kachelB[k * KACHEL + s];

        __syncthreads();
    }

    C[zeile * N + spalte] = summe;
}

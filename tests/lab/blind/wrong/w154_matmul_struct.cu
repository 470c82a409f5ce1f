// Übung 4, Aufgabe 2 - Matrizenmultiplikation mit gemeinsamem Speicher
// Matrizen sind zeilenweise gespeichert: M(z, s) = M.daten[z * M.spalten + s]

struct Matrix {
    int zeilen;
    int spalten;
    float *daten;
};

const int BS = 16;

__device__ inline float lies(const Matrix m, int z, int s)
{
    return m.daten[z * m.spalten + s];
}

__global__ void multipliziere(Matrix A, Matrix B, Matrix C)
{
    __shared__ float kachelA[BS][BS];
    __shared__ float kachelB[BS][BS];

    int x = threadIdx.x, y = threadIdx.y;
    int z = blockIdx.y * BS + y;
    int s = blockIdx.x * BS + x;

    int anzahl = (A.spalten + BS - 1) / BS;
    float summe = 0.0f;

    for (int i = 0; i < anzahl; ++i) {
        // Kacheln laden, nur gueltige Elemente
        if (z < A.zeilen && i * BS + x < A.spalten)
            kachelA[y][x] = lies(A, z, i * BS + x);
        if (i * BS + y < B.zeilen && s < B.spalten)
            kachelB[y][x] = lies(B, i * BS + y, s);
        __syncthreads();

        for (int k = 0; k < BS; ++k)
            summe += kachelA[y][k] * kachelB[k][x];
        __syncthreads();
    }

    if (z < C.zeilen && s < C.spalten)
        C.daten[z * C.spalten + s] = summe;
}

void starte(Matrix dA, Matrix dB, Matrix dC)
{
    dim3 block(BS, BS);
    dim3 gitter((dC.spalten + BS - 1) / BS, (dC.zeilen + BS - 1) / BS);
    multipliziere<<<gitter, block>>>(dA, dB, dC);
}

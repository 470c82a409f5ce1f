// Transposition mit Kachel im Shared Memory (Polster gegen Bankkonflikte)
// Block (32, 8), Gitter (aufrunden(breite/32), aufrunden(hoehe/32))
constexpr int KACHEL = 32;
constexpr int ZEILEN = 8;

__global__ void transponiere(float *__restrict__ aus, const float *__restrict__ ein,
                             int breite, int hoehe)
{
    __shared__ float kachel[KACHEL][KACHEL + 1];

    int x = blockIdx.x * KACHEL + threadIdx.x;
    int y = blockIdx.y * KACHEL + threadIdx.y;

    for (int j = 0; j < KACHEL; j += ZEILEN)
        if (x < breite && y + j < hoehe)
            kachel[threadIdx.y + j][threadIdx.x] = ein[(y + j) * breite + x];

    __syncthreads();

    x = blockIdx.y * KACHEL + threadIdx.x;   // Spalte im Ergebnis
    y = blockIdx.x * KACHEL + threadIdx.y;   // Zeile im Ergebnis

    for (int j = 0; j < KACHEL; j += ZEILEN)
        if (x < hoehe && y + j < breite)
            aus[(y + j) * hoehe + x] = kachel[threadIdx.x][threadIdx.y + j];
}

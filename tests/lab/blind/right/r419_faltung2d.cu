// Vorlesung "GPU-Programmierung", Folie 41: 2D-Filter (Korrelation) mit Rand.
// Außerhalb des Bildes gilt der Wert 0. Die Kachel im gemeinsamen Speicher enthält
// den Halo; alle Threads laden reihum, bis die (BX+2R) x (BY+2R)-Kachel voll ist.
// Es gilt hoehe <= 65535 * BY (wegen gridDim.y).
//
//   cudaMemcpyToSymbol(maske, h_maske, (2*R+1)*(2*R+1)*sizeof(float));
//   faltung<<<dim3((breite+BX-1)/BX, (hoehe+BY-1)/BY), dim3(BX, BY)>>>(ein, aus, breite, hoehe);

constexpr int R  = 2;
constexpr int BX = 32;
constexpr int BY = 8;

__constant__ float maske[(2 * R + 1) * (2 * R + 1)];

__global__ void faltung(const float *ein, float *aus, int breite, int hoehe)
{
    constexpr int KX = BX + 2 * R;
    constexpr int KY = BY + 2 * R;
    __shared__ float kachel[KY][KX];

    const int x0 = blockIdx.x * BX - R;     // linke obere Ecke der Kachel
    const int y0 = blockIdx.y * BY - R;

    for (int i = threadIdx.y * BX + threadIdx.x; i < KX * KY; i += BX * BY) {
        const int ky = i / KX, kx = i % KX;
        const int x = x0 + kx, y = y0 + ky;
        const bool drin = x >= 0 && x < breite && y >= 0 && y < hoehe;
        kachel[ky][kx] = drin ? ein[(size_t)y * breite + x] : 0.0f;
    }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= breite || y >= hoehe)
        return;                             // keine Barriere mehr danach

    float s = 0.0f;
    for (int dy = 0; dy <= 2 * R; ++dy)
        for (int dx = 0; dx <= 2 * R; ++dx)
            s += maske[dy * (2 * R + 1) + dx] * kachel[threadIdx.y + dy][threadIdx.x + dx];
    aus[(size_t)y * breite + x] = s;
}

// Wärmeleitung: ein Zeitschritt mit dem 5-Punkte-Stern.
// Randzellen behalten ihren Wert. alt und neu dürfen nicht überlappen.
#define BX 32
#define BY 8

__constant__ float koeff = 0.2f;

__global__ void waermeSchritt(const float *alt, float *neu, int breite, int hoehe)
{
    // Block ist BX x BY, dazu ein Rand von einer Zelle auf jeder Seite
    __shared__ float s[BY + 2][BX + 2];

    const int x0 = (int)(blockIdx.x * BX) - 1;
    const int y0 = (int)(blockIdx.y * BY) - 1;
    const int id = threadIdx.y * BX + threadIdx.x;

    for (int e = id; e < (BX + 2) * (BY + 2); e += BX * BY) {
        int ly = e / (BX + 2);
        int lx = e % (BX + 2);
        int gx = x0 + lx;
        int gy = y0 + ly;
        float w = 0.0f;
        if (gx >= 0 && gx < breite && gy >= 0 && gy < hoehe)
            w = alt[gy * breite + gx];
        s[ly][lx] = w;
    }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= breite || y >= hoehe) return;

    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    float mitte = s[ly][lx];
    bool rand = x == 0 || y == 0 || x == breite - 1 || y == hoehe - 1;
    if (!rand)
        mitte += koeff * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1] - 4.0f * mitte);
    neu[y * breite + x] = mitte;
}

// Vergroeberung um Faktor 2: jeder Thread berechnet zwei Elemente
// derselben Spalte (Zeile y und Zeile y + 16 der Kachel)
constexpr int KB = 16;

__global__ void matMulGrob(float *__restrict__ ergebnis,
                           const float *__restrict__ links,
                           const float *__restrict__ rechts,
                           int hoehe, int breite, int tiefe)
{
    __shared__ float kl[2 * KB][KB];
    __shared__ float kr[KB][KB];

    int tx = threadIdx.x, ty = threadIdx.y;
    int z0 = blockIdx.y * 2 * KB + ty;
    int z1 = z0 + KB;
    int s = blockIdx.x * KB + tx;
    float e0 = 0.f, e1 = 0.f;

    for (int k0 = 0; k0 < tiefe; k0 += KB) {
        int kk = k0 + tx;
        kl[ty][tx]      = (z0 < hoehe && kk < tiefe) ? links[z0 * tiefe + kk] : 0.f;
        kl[ty + KB][tx] = (z1 < hoehe && kk < tiefe) ? links[z1 * tiefe + kk] : 0.f;
        kr[ty][tx]      = (k0 + ty < tiefe && s < breite) ? rechts[(k0 + ty) * breite + s] : 0.f;
        __syncthreads();
        for (int k = 0; k < KB; ++k) {
            float b = kr[k][tx];
            e0 += kl[ty][k] * b;
            e1 += kl[ty + KB][k] * b;
        }
        __syncthreads();
    }
    if (s < breite) {
        if (z0 < hoehe) ergebnis[z0 * breite + s] = e0;
        if (z1 < hoehe) ergebnis[z1 * breite + s] = e1;
    }
}

void starte(float *e, const float *l, const float *r, int hoehe, int breite, int tiefe)
{
    dim3 block(KB, KB);
    dim3 gitter((breite + KB - 1) / KB, (hoehe + 2 * KB - 1) / (2 * KB));
    matMulGrob<<<gitter, block>>>(e, l, r, hoehe, breite, tiefe);
}

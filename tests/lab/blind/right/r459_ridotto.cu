// somma dei quadrati 2x2 del prodotto A*B  (A: R x K, B: K x S, R e S pari)
// un thread per elemento di C, blocchi 1D da 256: ((R/2)*(S/2)+255)/256 blocchi
__global__ void ridotto(const float *A, const float *B, float *C, int R, int K, int S)
{
    int id = blockIdx.x * 256 + threadIdx.x;
    int larghezza = S / 2;
    if (id >= (R / 2) * larghezza) return;
    int riga = 2 * (id / larghezza), colonna = 2 * (id % larghezza);
    const float *a0 = A + riga * K, *a1 = a0 + K;
    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;
    for (int k = 0; k < K; k++) {
        float b0 = B[k * S + colonna], b1 = B[k * S + colonna + 1];
        p00 += a0[k] * b0;
        p01 += a0[k] * b1;
        p10 += a1[k] * b0;
        p11 += a1[k] * b1;
    }
    C[id] = (p00 + p01) + (p10 + p11);
}

// Ανηγμένο γινόμενο: C[i][j] = άθροισμα του 2x2 τετραγώνου του A*B στη θέση (2i,2j)
// Κάθε νήμα υπολογίζει 4 στοιχεία της ίδιας γραμμής του C.
//   A: p x q,  B: q x r,  p και r ζυγοί, όλα <= 20000
//
//   dim3 block(16, 16);
//   dim3 grid((r/2 + 63) / 64, (p/2 + 15) / 16);
//   anigmeno<<<grid, block>>>(A, B, C, p, q, r);

#define PL  16          // πλακίδιο
#define ANA 4           // στοιχεία ανά νήμα

__global__ void anigmeno(const float *A, const float *B, float *C,
                         int p, int q, int r)
{
    __shared__ float a[PL][PL];
    __shared__ float b[PL][PL * ANA];

    const int gr = p / 2, st = r / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i  = blockIdx.y * PL + ty;
    const int j0 = blockIdx.x * PL * ANA;

    float c[ANA] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = 0; k0 < q; k0 += PL)
    {
        // ζεύγος γραμμών
        a[ty][tx] = 0.f;
        if (i < gr && k0 + tx < q) {
            const float *g = A + 2 * i * q + k0 + tx;
            a[ty][tx] = g[0] + g[q];
        }

        // ζεύγη στηλών
        for (int s = 0; s < ANA; s++) {
            int j = j0 + s * PL + tx;
            float v = 0.f;
            if (k0 + ty < q && j < st) {
                const float *g = B + (k0 + ty) * r + 2 * j;
                v = g[0] + g[1];
            }
            b[ty][s * PL + tx] = v;
        }
        __syncthreads();

        for (int k = 0; k < PL; k++) {
            float x = a[ty][k];
            for (int s = 0; s < ANA; s++)
                c[s] += x * b[k][s * PL + tx];
        }
        __syncthreads();
    }

    if (i < gr)
        for (int s = 0; s < ANA; s++) {
            int j = j0 + s * PL + tx;
            if (j < st)
                C[i * st + j] = c[s];
        }
}

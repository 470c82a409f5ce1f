// Inlämning 2: y = A^T x  (A är m x n radvis, y har n element, x har m)
//
// Varje block tar en bit av raderna (RADER stycken) och 64 kolumner;
// bidragen läggs ihop med atomicAdd, så y MÅSTE vara nollställd innan:
//
//   cudaMemset(y, 0, n * sizeof(float));
//   dim3 g((n + 63) / 64, (m + RADER - 1) / RADER);
//   atx<<<g, 64>>>(A, x, y, m, n);
//
// m och n får vara vad som helst från 1 och uppåt (m högst 4 miljoner,
// eftersom gridens y-led har högst 65535 block).

#define RADER 64

__global__ void atx(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[RADER];

    int kol = blockIdx.x * 64 + threadIdx.x;
    int r0 = blockIdx.y * RADER;
    int antal = m - r0 < RADER ? m - r0 : RADER;

    // 64 trådar, 64 rader: en var
    if (threadIdx.x < antal)
        xs[threadIdx.x] = x[r0 + threadIdx.x];
    __syncthreads();

    if (kol >= n)
        return;

    float s = 0.0f;
    const float *p = A + (size_t)r0 * n + kol;
    for (int r = 0; r < antal; r++, p += n)
        s += *p * xs[r];

    atomicAdd(&y[kol], s);
}

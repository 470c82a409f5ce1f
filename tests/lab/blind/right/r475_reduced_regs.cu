// Reduced product, no shared memory.  Every thread walks over outputs with a
// grid-stride loop and keeps its 2x2 square of A*B in four registers; the four
// are added at the end.  Works with any grid and any 1-D block.
// rows and cols are even.

__global__ void reduced_mm(const float *a, const float *b, float *c,
                           int rows, int inner, int cols)
{
    int hr = rows >> 1;
    int hc = cols >> 1;
    int step = gridDim.x * blockDim.x;

    for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < hr * hc; idx += step) {
        int i = idx / hc;
        int j = idx - i * hc;
        const float *top = a + (2 * i) * inner;
        const float *bot = top + inner;
        const float *pb  = b + 2 * j;

        float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
        for (int k = 0; k < inner; k++, pb += cols) {
            float l = pb[0], r = pb[1];
            float t = top[k], u = bot[k];
            c00 += t * l;
            c01 += t * r;
            c10 += u * l;
            c11 += u * r;
        }
        c[idx] = (c00 + c01) + (c10 + c11);
    }
}

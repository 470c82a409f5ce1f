/* out = lhs . rhs for integers
   lhs: h x d, rhs: d x w, out: h x w
   block (SIDE, SIDE), grid (ceil(w / SIDE), ceil(h / SIDE)) */
#define SIDE 24
#define UP(a, b) (((a) + (b) - 1) / (b))

__global__ void int_product(const int *lhs, const int *rhs, int *out, int h, int d, int w)
{
    __shared__ int L[SIDE * SIDE];
    __shared__ int R[SIDE * SIDE];

    int me = threadIdx.y * SIDE + threadIdx.x;
    int i = blockIdx.y * SIDE + threadIdx.y;
    int j = blockIdx.x * SIDE + threadIdx.x;
    int sum = 0;

    int panels = d / SIDE;
    for (int t = 0; t < panels; t++) {
        int dl = t * SIDE + threadIdx.x;
        int dr = t * SIDE + threadIdx.y;

        if (i < h && dl < d)
            L[me] = lhs[i * d + dl];
        else
            L[me] = 0;

        if (dr < d && j < w)
            R[me] = rhs[dr * w + j];
        else
            R[me] = 0;

        __syncthreads();
        for (int q = 0; q < SIDE; q++)
            sum += L[threadIdx.y * SIDE + q] * R[q * SIDE + threadIdx.x];
        __syncthreads();
    }

    if (i < h && j < w)
        out[i * w + j] = sum;
}

void run_int_product(const int *lhs, const int *rhs, int *out, int h, int d, int w)
{
    dim3 grid(UP(w, SIDE), UP(h, SIDE));
    int_product<<<grid, dim3(SIDE, SIDE)>>>(lhs, rhs, out, h, d, w);
}

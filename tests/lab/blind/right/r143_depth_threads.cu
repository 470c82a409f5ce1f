// Matrix product where the inner dimension is shared by the threads along z.
// block (8, 8, 4), grid (ceil(cols / 8), ceil(rows / 8))

#define SIDE  8
#define DEPTH 4

__global__ void mm_depth(const double *a, const double *b, double *c,
                         int rows, int inner, int cols)
{
    __shared__ double part[DEPTH][SIDE][SIDE];

    const int x = blockIdx.x * SIDE + threadIdx.x;
    const int y = blockIdx.y * SIDE + threadIdx.y;
    const int z = threadIdx.z;
    const bool inside = x < cols && y < rows;

    double mine = 0.0;
    if (inside) {
        for (int k = z; k < inner; k += DEPTH)
            mine += a[y * inner + k] * b[k * cols + x];
    }
    part[z][threadIdx.y][threadIdx.x] = mine;
    __syncthreads();

    if (inside && z == 0) {
        double all = part[0][threadIdx.y][threadIdx.x];
        for (int s = 1; s < DEPTH; ++s)
            all += part[s][threadIdx.y][threadIdx.x];
        c[y * cols + x] = all;
    }
}

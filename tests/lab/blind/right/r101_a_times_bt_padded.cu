// out[i][j] = sum over k of x[i][k] * w[j][k]      (x: I x Kd, w: J x Kd, out: I x J)
// Both operands are read along their rows; the +1 column avoids bank conflicts.
// blocks of 32x32 threads, grid ( ceil(J/32), ceil(I/32) )
#define W 32

__global__ void mul_nt(float *out, const float *x, const float *w, int I, int J, int Kd)
{
    __shared__ float xs[W][W + 1];
    __shared__ float ws[W][W + 1];

    int i = blockIdx.y * W + threadIdx.y;
    int j = blockIdx.x * W + threadIdx.x;
    int jl = blockIdx.x * W + threadIdx.y;     // row of w to be loaded

    float s = 0;
    for (int base = 0; base < Kd; base += W)
    {
        int k = base + threadIdx.x;

        if (i < I && k < Kd)  xs[threadIdx.y][threadIdx.x] = x[i * Kd + k];
        else                  xs[threadIdx.y][threadIdx.x] = 0;

        if (jl < J && k < Kd) ws[threadIdx.y][threadIdx.x] = w[jl * Kd + k];
        else                  ws[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();

        for (int q = 0; q < W; q++)
            s += xs[threadIdx.y][q] * ws[threadIdx.x][q];

        __syncthreads();
    }

    if (i < I && j < J)
        out[i * J + j] = s;
}

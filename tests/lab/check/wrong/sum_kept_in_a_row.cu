__global__ void mm(float *out, float *x, float *y, int h, int w, int d)
{
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < h; r += gridDim.y * blockDim.y) {
        float v = 0;
        for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < w; c += gridDim.x * blockDim.x) {
            for (int k = 0; k < d; ++k) v += x[r * d + k] * y[k * w + c];
            out[r * w + c] = v;
        }
    }
}

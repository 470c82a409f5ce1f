// The sizes in a struct, filled by the launch itself.
struct Sizes { int rows, cols, depth; };
__global__ void mm(const float* x, const float* y, float* z, const Sizes s)
{
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    if (r >= s.rows || c >= s.cols) return;
    float sum = 0;
    for (int i = 0; i < s.depth; ++i) sum += x[r * s.depth + i] * y[i * s.cols + c];
    z[r * s.cols + c] = sum;
}
void run(float* x, float* y, float* z, int m, int n, int k)
{
    mm<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x, y, z, Sizes{m, n, k});
}

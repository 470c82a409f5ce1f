__global__ void addColumns(const int *b, int *reduced, int k, int half)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < k && j < half) reduced[i * half + j] = b[2 * (i * half + j)] + b[2 * (i * half + j) + 1];
}

// Assignment 2. Multiplies two square matrices of any width.
// One thread per output element, blocks are BLOCK x BLOCK.
#define BLOCK 16

__global__ void mm(const float *M1, const float *M2, float *P, int width)
{
    __shared__ float s1[BLOCK][BLOCK], s2[BLOCK][BLOCK];

    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * BLOCK + ty;
    int Col = bx * BLOCK + tx;
    float Pvalue = 0;

    for (int ph = 0; ph < ceil(width / (float)BLOCK); ++ph) {
        if (Row < width && ph * BLOCK + tx < width)
            s1[ty][tx] = M1[Row * width + ph * BLOCK + tx];
        if (Col < width && ph * BLOCK + ty < width)
            s2[ty][tx] = M2[(ph * BLOCK + ty) * width + Col];
        __syncthreads();

        for (int k = 0; k < BLOCK; ++k)
            Pvalue += s1[ty][k] * s2[k][tx];
        __syncthreads();
    }

    if (Row < width && Col < width)
        P[Row * width + Col] = Pvalue;
}

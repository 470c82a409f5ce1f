// Sizes are multiples of 32.
#define TS 32
#define WPT 4
__global__ void myGEMM3(const int M, const int N, const int K, const float *A, const float *B, float *C)
{
    const int row = threadIdx.x, col = threadIdx.y;
    const int globalRow = TS * blockIdx.x + row, globalCol = TS * blockIdx.y + col;
    __shared__ float Asub[TS][TS], Bsub[TS][TS];
    float acc[WPT];
    for (int w = 0; w < WPT; w++) acc[w] = 0.0f;
    for (int t = 0; t < K / TS; t++) {
        for (int w = 0; w < WPT; w++) {
            const int tiledRow = TS * t + row, tiledCol = TS * t + col;
            Asub[col + w * (TS / WPT)][row] = A[(tiledCol + w * (TS / WPT)) * M + globalRow];
            Bsub[col + w * (TS / WPT)][row] = B[(globalCol + w * (TS / WPT)) * K + tiledRow];
        }
        __syncthreads();
        for (int k = 0; k < TS; k++)
            for (int w = 0; w < WPT; w++) acc[w] += Asub[k][row] * Bsub[col + w * (TS / WPT)][k];
        __syncthreads();
    }
    for (int w = 0; w < WPT; w++) C[(globalCol + w * (TS / WPT)) * M + globalRow] = acc[w];
}

// RMM, one thread for each element of C (half of the size in both directions)
// M x K times K x N, M and N even; 1D launch with at least (M/2)*(N/2) threads

__global__ void rmm(int M, int N, int K, const double *A, const double *B, double *C)
{
    int t = blockDim.x * blockIdx.x + threadIdx.x;
    int rows = M / 2, cols = N / 2;
    if (t < rows * cols) {
        int r = 2 * (t / cols);
        int c = 2 * (t % cols);
        double s = 0;
        for (int k = 0; k < K; k++) {
            double a0 = A[r * K + k];
            double a1 = A[(r + 1) * K + k];
            double b0 = B[k * N + c];
            double b1 = B[k * N + c + 1];
            s += a0 * b0 + a1 * b1;
        }
        C[t] = s;
    }
}

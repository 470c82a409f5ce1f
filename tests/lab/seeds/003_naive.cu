// Seed 003, section 4.3.1, as a kernel: A and B are N x N, C is N/2 x N/2, N even; one thread for each element of C.
// The thesis describes it without code: docs/check-files.md says which sentence became which line.
#define K 1024

__global__ void rmm_naive(const float *A, const float *B, float *C, int N)
{
    int half = N / 2;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= half * half)
        return;
    int i = thread / half;
    int j = thread % half;
    float sum = 0;
    for (int p = 0; p < N; ++p) {
        sum += A[(2*i)*N + p] * B[p*N + 2*j];
        sum += A[(2*i)*N + p] * B[p*N + 2*j + 1];
        sum += A[(2*i + 1)*N + p] * B[p*N + 2*j];
        sum += A[(2*i + 1)*N + p] * B[p*N + 2*j + 1];
    }
    C[i*half + j] = sum;
}

void rmm(const float *A, const float *B, float *C, int N)
{
    int threads = (N/2) * (N/2);
    rmm_naive<<<(threads + K - 1) / K, K>>>(A, B, C, N);
}

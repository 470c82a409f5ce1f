// Μειωμένος πολλαπλασιασμός πινάκων (άσκηση 3β), ακέραιοι, split-K
//   C[i][j] += Σ (A[2i][k]+A[2i+1][k]) * (B[k][2j]+B[k][2j+1])
// Κάθε blockIdx.z παίρνει ένα κομμάτι του k, και τα αθροίζουμε με atomicAdd.
// Ο C πρέπει να είναι μηδενισμένος. Οι γραμμές του A και οι στήλες του B είναι άρτιες.
#include <cstdio>
#include <cuda_runtime.h>

typedef struct {
    int rows, cols, stride;
    int *el;
} Matrix;

#define W 8            // πλακίδιο
#define CHUNK 40       // k ανά blockIdx.z, πολλαπλάσιο του W

__global__ void reducedSplitK(const Matrix A, const Matrix B, Matrix C)
{
    __shared__ int a[W][W], b[W][W];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * W + ty;
    int j = blockIdx.x * W + tx;
    int kBegin = blockIdx.z * CHUNK;
    int kEnd = kBegin + CHUNK;
    if (kEnd > A.cols) kEnd = A.cols;

    int sum = 0;
    for (int k0 = kBegin; k0 < kEnd; k0 += W) {
        int ka = k0 + tx, kb = k0 + ty;
        a[ty][tx] = 0;
        b[ty][tx] = 0;
        if (i < C.rows && ka < kEnd) {
            const int *p = &A.el[2 * i * A.stride + ka];
            a[ty][tx] = p[0] + p[A.stride];
        }
        if (j < C.cols && kb < kEnd) {
            const int *p = &B.el[kb * B.stride + 2 * j];
            b[ty][tx] = p[0] + p[1];
        }
        __syncthreads();
        for (int k = 0; k < W; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }

    if (i < C.rows && j < C.cols)
        atomicAdd(&C.el[i * C.stride + j], sum);
}

static Matrix newMatrix(int rows, int cols, int stride)
{
    Matrix m = {rows, cols, stride, NULL};
    cudaMallocManaged(&m.el, (size_t)rows * stride * sizeof(int));
    cudaMemset(m.el, 0, (size_t)rows * stride * sizeof(int));
    cudaDeviceSynchronize();
    return m;
}

int main()
{
    Matrix A = newMatrix(58, 131, 136);
    Matrix B = newMatrix(131, 74, 80);
    Matrix C = newMatrix(29, 37, 37);
    for (int i = 0; i < A.rows; i++)
        for (int k = 0; k < A.cols; k++) A.el[i * A.stride + k] = (i * 3 + k * 5) % 17 - 8;
    for (int k = 0; k < B.rows; k++)
        for (int j = 0; j < B.cols; j++) B.el[k * B.stride + j] = (k * 7 + j * 2) % 13 - 6;

    dim3 threads(W, W);
    dim3 blocks((C.cols + W - 1) / W, (C.rows + W - 1) / W, (A.cols + CHUNK - 1) / CHUNK);
    reducedSplitK<<<blocks, threads>>>(A, B, C);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < C.rows; i++)
        for (int j = 0; j < C.cols; j++) {
            int s = 0;
            for (int k = 0; k < A.cols; k++)
                s += (A.el[2 * i * A.stride + k] + A.el[(2 * i + 1) * A.stride + k]) *
                     (B.el[k * B.stride + 2 * j] + B.el[k * B.stride + 2 * j + 1]);
            if (s != C.el[i * C.stride + j]) wrong++;
        }
    printf("λάθη: %d\n", wrong);
    cudaFree(A.el); cudaFree(B.el); cudaFree(C.el);
    return wrong != 0;
}

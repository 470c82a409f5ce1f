// "Pooled" product: C = 2x2 block sums of A*B, size (rows/2) x (cols/2).
// Block: 16 x 4 threads, gives a 16 x 16 piece of C (4 results per thread).
struct Mat {
    int rows, cols;
    float *v;
};

static const int P = 16;     // piece of C
static const int H = 4;      // thread rows
static const int D = 8;      // depth of a tile

__device__ float fetch(const Mat &m, int r, int c)
{
    return (r < m.rows && c < m.cols) ? m.v[r * m.cols + c] : 0.0f;
}

__global__ void pooledProduct(Mat A, Mat B, Mat C)
{
    __shared__ float sa[2 * P][D];
    __shared__ float sb[D][2 * P];

    int id = threadIdx.y * P + threadIdx.x;
    int top = blockIdx.y * 2 * P;
    int left = blockIdx.x * 2 * P;
    float res[P / H];
    for (int h = 0; h < P / H; h++) res[h] = 0.0f;

    for (int k0 = 0; k0 < A.cols; k0 += D) {
        for (int e = id; e < 2 * P * D; e += P * H) {
            sa[e / D][e % D] = fetch(A, top + e / D, k0 + e % D);
            sb[e / (2 * P)][e % (2 * P)] = fetch(B, k0 + e / (2 * P), left + e % (2 * P));
        }
        __syncthreads();
        for (int k = 0; k < D; k++) {
            float bb = sb[k][2 * threadIdx.x] + sb[k][2 * threadIdx.x + 1];
            for (int h = 0; h < P / H; h++) {
                int q = threadIdx.y + h * H;
                res[h] += (sa[2 * q][k] + sa[2 * q + 1][k]) * bb;
            }
        }
        __syncthreads();
    }

    int cj = blockIdx.x * P + threadIdx.x;
    for (int h = 0; h < P / H; h++) {
        int ci = blockIdx.y * P + threadIdx.y + h * H;
        if (ci < C.rows && cj < C.cols)
            C.v[ci * C.cols + cj] = res[h];
    }
}

// A.rows and B.cols even, C.rows = A.rows/2, C.cols = B.cols/2
void pooled(Mat A, Mat B, Mat C)
{
    dim3 t(P, H);
    dim3 g((C.cols + P - 1) / P, (C.rows + P - 1) / P);
    pooledProduct<<<g, t>>>(A, B, C);
}

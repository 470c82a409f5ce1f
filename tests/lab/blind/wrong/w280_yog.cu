// 2x2 khand ka yog: R[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1]
// jahan P = A * B ; A: m x k, B: k x n, m aur n sam (even) hain
// R ka akar (m/2) x (n/2)
//
// chalana:
//   khandYog<<<32, 256>>>(A, B, R, 512, 512, 128);

__device__ inline float kramYog(const float *A, const float *B, int i, int j,
                                int n, int k, int q)
{
    float a = A[(2 * i) * k + q] + A[(2 * i + 1) * k + q];
    float b = B[q * n + 2 * j] + B[q * n + 2 * j + 1];
    return a * b;
}

__global__ void khandYog(const float *A, const float *B, float *R,
                         int m, int n, int k)
{
    const int h = m / 2, w = n / 2;
    const int kul = h * w;
    float yog = 0.0f;

    // grid-stride: ek dhaga kai uttar nikalta hai
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < kul;
         t += blockDim.x * gridDim.x) {
        int i = t / w;
        int j = t % w;
        for (int q = 0; q < k; q++)
            yog += kramYog(A, B, i, j, n, k, q);
        R[t] = yog;
    }
}

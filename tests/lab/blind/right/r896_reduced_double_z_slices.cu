// Μειωμένο γινόμενο σε διπλή ακρίβεια: C(i,j) = άθροισμα του τετραγώνου 2x2 του A*B στη θέση (2i,2j).
// A: 2m x k, B: k x 2n, C: m x n, όλα κατά γραμμές.
// Μπλοκ 8 x 8 x 4: το threadIdx.z μοιράζει το k, και στο τέλος προστίθενται οι τέσσερις φέτες.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int P = 8, Z = 4;

__global__ void meiomeno(const double* A, const double* B, double* C, int m, int n, int k)
{
    __shared__ double feta[Z][P][P];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int i = blockIdx.y * P + y, j = blockIdx.x * P + x;

    double s = 0.0;
    if (i < m && j < n) {
        const double* a0 = A + (size_t)2 * i * k;
        const double* a1 = a0 + k;
        for (int p = z; p < k; p += Z) {
            const double* b = B + (size_t)p * 2 * n + 2 * j;
            s += (a0[p] + a1[p]) * (b[0] + b[1]);
        }
    }
    feta[z][y][x] = s;
    __syncthreads();

    if (z == 0 && i < m && j < n)
        C[(size_t)i * n + j] = feta[0][y][x] + feta[1][y][x] + feta[2][y][x] + feta[3][y][x];
}

int main()
{
    const int m = 27, n = 33, k = 50;
    std::vector<double> A(2 * m * k), B(k * 2 * n), C(m * n);
    for (size_t e = 0; e < A.size(); ++e) A[e] = std::sin(0.1 * e);
    for (size_t e = 0; e < B.size(); ++e) B[e] = std::cos(0.3 * e);

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);
    meiomeno<<<dim3((n + P - 1) / P, (m + P - 1) / P), dim3(P, P, Z)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double max = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int r = 0; r < 2; ++r)
                for (int c = 0; c < 2; ++c)
                    for (int p = 0; p < k; ++p)
                        s += A[(2 * i + r) * k + p] * B[p * 2 * n + 2 * j + c];
            max = std::fmax(max, std::fabs(s - C[i * n + j]));
        }
    std::printf("μέγιστη απόκλιση %.3g: %s\n", max, max < 1e-10 ? "σωστό" : "ΛΑΘΟΣ");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return max < 1e-10 ? 0 : 1;
}

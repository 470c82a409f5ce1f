// Άσκηση 5: ανηγμένο γινόμενο πινάκων
//   C[i][j] = Σ_l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A: M x K, B: K x N (M, N άρτιοι), C: (M/2) x (N/2), κατά γραμμές
//
// Εκκίνηση:
//   dim3 nimata(32, 4);
//   dim3 blok((N / 2 + 31) / 32, (M / 2 + 3) / 4);
//   anigmeno<<<blok, nimata>>>(A, B, C, M, N, K);

__global__ void anigmeno(const float *A, const float *B, float *C, int M, int N, int K)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M / 2 || j >= N / 2)
        return;

    const float *a0 = A + (size_t)(2 * i) * K;
    const float *a1 = a0 + K;
    // N άρτιος, άρα κάθε ζεύγος του B είναι ευθυγραμμισμένο σε 8 byte
    const float2 *b = reinterpret_cast<const float2 *>(B) + j;

    float s = 0.0f;
    for (int l = 0; l < K; ++l) {
        const float2 z = b[(size_t)l * (N / 2)];
        s += a0[l] * z.x + a1[l] * z.y;
    }
    C[(size_t)i * (N / 2) + j] = s;
}

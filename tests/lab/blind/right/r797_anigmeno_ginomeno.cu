// Ανηγμένο γινόμενο πινάκων.
//
//   C[i][j] = (A*B)[2i][2j] + (A*B)[2i][2j+1] + (A*B)[2i+1][2j] + (A*B)[2i+1][2j+1]
//           = Σ_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
//
// A: M x K, B: K x N, C: (M/2) x (N/2), αποθήκευση κατά γραμμές.
// Τα M και N είναι άρτιοι, από 2 έως 100000. Το K είναι οποιοδήποτε θετικό
// έως 100000. Οι δείκτες έρχονται κατευθείαν από cudaMalloc (άρα το B διαβάζεται
// και ως float2).
//
// Κλήση:
//   dim3 block(32, 8);
//   dim3 grid((N/2 + 31) / 32, (M/2 + 7) / 8);
//   anigmeno<<<grid, block>>>(dA, dB, dC, M, N, K);

__global__ void anigmeno(const float *__restrict__ A, const float *__restrict__ B,
                         float *__restrict__ C, int M, int N, int K)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;   // στήλη του C
    const int i = blockIdx.y * blockDim.y + threadIdx.y;   // γραμμή του C
    const int grammes = M / 2;
    const int stiles = N / 2;

    if (i >= grammes || j >= stiles)
        return;

    // δύο διαδοχικές γραμμές του A
    const float *a0 = A + (size_t)(2 * i) * K;
    const float *a1 = a0 + K;

    // δύο διαδοχικές στήλες του B σε μία ανάγνωση
    const float2 *b = reinterpret_cast<const float2 *>(B) + j;

    float athroisma = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float2 zevgos = *b;
        athroisma += (*a0++ + *a1++) * (zevgos.x + zevgos.y);
        b += stiles;
    }

    C[(size_t)i * stiles + j] = athroisma;
}

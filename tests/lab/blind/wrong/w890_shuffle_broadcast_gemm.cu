// দ্বৈত-নির্ভুলতার ম্যাট্রিক্স গুণন, শেয়ার্ড মেমরি ছাড়া: A-এর উপাদান শাফলে ছড়ানো হয়।
// C (M x N) = A (M x K) * B (K x N), সারি-প্রধান; যেকোনো মাপ।
// ব্লক: (16, 16), গ্রিড: (ceil(N/16), ceil(M/16))
#include <cuda_runtime.h>

#define PURO 0xffffffffu

__global__ void gunon(const double *A, const double *B, double *C, int M, int N, int K)
{
    const int lane = threadIdx.x;
    const int sari = blockIdx.y * 16 + threadIdx.y;
    const int stombho = blockIdx.x * 16 + lane;
    const bool thik = stombho < N;
    double jog = 0.0;

    for (int k0 = 0; k0 < K; k0 += 16) {
        double a = 0.0;
        if (sari < M && k0 + lane < K)
            a = A[(size_t)sari * K + k0 + lane];
        const int koto = min(16, K - k0);
        const double *b = B + (size_t)k0 * N + stombho;
        for (int t = 0; t < koto; ++t) {
            const double at = __shfl_sync(PURO, a, t);
            if (thik)
                jog = fma(at, b[(size_t)t * N], jog);
        }
    }

    if (thik && sari < M)
        C[(size_t)sari * N + stombho] = jog;
}

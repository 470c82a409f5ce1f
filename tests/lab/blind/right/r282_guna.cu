// y = A x : har pankti ke liye ek warp
// A pankti-kram mein hai, lda >= stambh
enum { WARP_AKAR = 32, WARP_PRATI_BLOCK = 4 };

__global__ void __launch_bounds__(WARP_AKAR * WARP_PRATI_BLOCK)
avyuhGunaSadish(const float *__restrict__ A, int lda,
                const float *__restrict__ x, float *__restrict__ y,
                int pankti, int stambh)
{
    // block = (32, 4)
    int r = blockIdx.x * WARP_PRATI_BLOCK + threadIdx.y;
    if (r >= pankti) return;          // poora warp ek saath laut jata hai

    const float *meriPankti = A + (size_t)r * lda;
    float yog = 0.0f;
    for (int c = threadIdx.x; c < stambh; c += WARP_AKAR)
        yog += meriPankti[c] * x[c];

    for (int d = WARP_AKAR / 2; d >= 1; d /= 2)
        yog += __shfl_xor_sync(0xffffffff, yog, d);

    if (threadIdx.x == 0)
        y[r] = yog;
}

// A 256-point Fourier transform per block in shared memory: bit reversal by __brev, then eight radix-2 stages.
// Twiddle factors come from sincospif. signal, spectrum: 256 complex numbers per block.

#define POINTS 256

extern "C" __global__ void fft_shared(const float2* signal, float2* spectrum)
{
    __shared__ float2 values[POINTS];

    int t = threadIdx.x;
    int start = blockIdx.x * POINTS;
    for (int i = t; i < POINTS; i += POINTS / 2) values[__brev(i) >> 24] = signal[start + i];
    __syncthreads();

    for (int half = 1; half < POINTS; half *= 2) {
        int place = t % half;
        int low = t / half * 2 * half + place, high = low + half;
        float sine, cosine;
        sincospif(-(float)place / half, &sine, &cosine);
        float2 a = values[low], b = values[high];
        float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        values[low] = make_float2(a.x + turned.x, a.y + turned.y);
        values[high] = make_float2(a.x - turned.x, a.y - turned.y);
        __syncthreads();
    }
    spectrum[start + t] = values[t];
    spectrum[start + t + POINTS / 2] = values[t + POINTS / 2];
}

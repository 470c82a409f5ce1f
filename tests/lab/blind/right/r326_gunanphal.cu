// Prashn 4: kai vector jodon ka dot product ek saath
// har block ek jodi (x_b, y_b) ka gunanphal nikalta hai
// launch:  batchDot<<<sankhya, 128>>>(x, y, uttar, n);

#define KHAND 128

__global__ void batchDot(const float *x, const float *y, float *uttar, int n)
{
    __shared__ float xs[KHAND];
    __shared__ float ys[KHAND];
    __shared__ float jod[KHAND];

    int t = threadIdx.x;
    const float *xb = x + (size_t)blockIdx.x * n;
    const float *yb = y + (size_t)blockIdx.x * n;

    float s = 0.0f;
    for (int shuru = 0; shuru < n; shuru += KHAND) {
        int i = shuru + t;
        // seema ke bahar shunya bharo
        xs[t] = i < n ? xb[i] : 0.0f;
        ys[t] = i < n ? yb[i] : 0.0f;
        // har thread sirf apna hi tatva padhta hai, isliye yahan barrier nahin chahiye
        s += xs[t] * ys[t];
    }
    jod[t] = s;
    __syncthreads();

    for (int d = KHAND / 2; d >= 1; d >>= 1) {
        if (t < d) jod[t] += jod[t + d];
        __syncthreads();
    }
    if (t == 0) uttar[blockIdx.x] = jod[0];
}

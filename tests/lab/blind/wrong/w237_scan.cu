// Inclusive prefix sum of up to 256 numbers in one block
// launch: scan256<<<1, 256>>>(data, n) with n <= 256
#define LEN 256

__global__ void scan256(float *data, int n)
{
    __shared__ float s[LEN];
    const int t = threadIdx.x;

    s[t] = (t < n) ? data[t] : 0.0f;
    __syncthreads();

    for (int dist = 1; dist < LEN; dist <<= 1) {
        float add = 0.0f;
        if (t >= dist)
            add = s[t - dist];
        s[t] += add;
        __syncthreads();
    }

    if (t < n)
        data[t] = s[t];
}

void prefixSum(float *data, int n)
{
    scan256<<<1, LEN>>>(data, n);
}

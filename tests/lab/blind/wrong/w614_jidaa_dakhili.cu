// تمرين ٣: الجداء الداخلي لمتجهين باستعمال float4
// يعمل لأي طول n (المؤشرات من cudaMalloc فهي محاذاة على 16 بايت)
#include <cuda_runtime.h>

#define ADAD_KHUYUT 512

class JidaaDakhili {
public:
    JidaaDakhili() { cudaMalloc(&natija_, sizeof(float)); }
    ~JidaaDakhili() { cudaFree(natija_); }
    float ihsub(const float* x, const float* y, int n);

private:
    JidaaDakhili(const JidaaDakhili&);
    float* natija_;
};

__global__ void nawat(const float* x, const float* y, int n, float* natija)
{
    __shared__ float majmuat[ADAD_KHUYUT / 32];

    const float4* x4 = (const float4*)x;
    const float4* y4 = (const float4*)y;
    int adad4 = n / 4;
    int khatwa = gridDim.x * blockDim.x;

    float jam = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < adad4; i += khatwa) {
        const float4 p = x4[i];
        const float4 q = y4[i];
        jam = fmaf(p.x, q.x, jam);
        jam = fmaf(p.y, q.y, jam);
        jam = fmaf(p.z, q.z, jam);
        jam = fmaf(p.w, q.w, jam);
    }

    // جمع داخل الـ warp ثم داخل الكتلة
    for (int d = 16; d >= 1; d /= 2)
        jam += __shfl_down_sync(0xffffffff, jam, d);
    if (threadIdx.x % 32 == 0)
        majmuat[threadIdx.x / 32] = jam;
    __syncthreads();

    if (threadIdx.x < 32) {
        jam = threadIdx.x < ADAD_KHUYUT / 32 ? majmuat[threadIdx.x] : 0.0f;
        for (int d = 16; d >= 1; d /= 2)
            jam += __shfl_down_sync(0xffffffff, jam, d);
        if (threadIdx.x == 0)
            atomicAdd(natija, jam);
    }
}

// x و y في ذاكرة الجهاز
float JidaaDakhili::ihsub(const float* x, const float* y, int n)
{
    float jawab = 0.0f;
    cudaMemset(natija_, 0, sizeof(float));

    int kutal = (n / 4 + ADAD_KHUYUT - 1) / ADAD_KHUYUT;
    if (kutal < 1) kutal = 1;
    if (kutal > 256) kutal = 256;

    nawat<<<kutal, ADAD_KHUYUT>>>(x, y, n, natija_);
    cudaMemcpy(&jawab, natija_, sizeof(float), cudaMemcpyDeviceToHost);
    return jawab;
}

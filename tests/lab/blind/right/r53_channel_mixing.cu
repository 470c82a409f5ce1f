// 1x1 convolution = mixing of the channels of an image:
//   out[o][p] = sum over c of  mix[o][c] * image[c][p]      (p = pixel)
// So it is a matrix product, with planes instead of rows.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

constexpr int PIXELS_PER_BLOCK = 128;
constexpr int MAX_CHANNELS = 64;      // more input channels are not supported

__global__ void mixChannels(const float* image, const float* mix, float* out,
                            int inChannels, int outChannels, int numPixels)
{
    // one block: one output channel, 128 pixels
    __shared__ float coeff[MAX_CHANNELS];
    const int o = blockIdx.y;
    const int p = blockIdx.x * PIXELS_PER_BLOCK + threadIdx.x;

    if (threadIdx.x < inChannels)
        coeff[threadIdx.x] = mix[o * inChannels + threadIdx.x];
    __syncthreads();

    if (p < numPixels) {
        float v = 0.0f;
        for (int c = 0; c < inChannels; ++c)
            v += coeff[c] * image[c * numPixels + p];
        out[o * numPixels + p] = v;
    }
}

int main()
{
    const int width = 37, height = 21, cin = 24, cout_ = 10;
    const int pixels = width * height;
    if (cin > MAX_CHANNELS) { printf("too many channels\n"); return 2; }

    std::vector<float> image(cin * pixels), mix(cout_ * cin), out(cout_ * pixels);
    for (auto& v : image) v = rand() % 256 / 255.0f;
    for (auto& v : mix) v = rand() % 21 / 10.0f - 1.0f;

    float *dImage, *dMix, *dOut;
    cudaMalloc(&dImage, image.size() * sizeof(float));
    cudaMalloc(&dMix, mix.size() * sizeof(float));
    cudaMalloc(&dOut, out.size() * sizeof(float));
    cudaMemcpy(dImage, image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dMix, mix.data(), mix.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 grid((pixels + PIXELS_PER_BLOCK - 1) / PIXELS_PER_BLOCK, cout_);
    mixChannels<<<grid, PIXELS_PER_BLOCK>>>(dImage, dMix, dOut, cin, cout_, pixels);
    cudaMemcpy(out.data(), dOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int o = 0; o < cout_; ++o)
        for (int p = 0; p < pixels; ++p) {
            float v = 0;
            for (int c = 0; c < cin; ++c) v += mix[o * cin + c] * image[c * pixels + p];
            if (!(fabs(v - out[o * pixels + p]) <= 1e-3)) ok = false;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dImage); cudaFree(dMix); cudaFree(dOut);
    return ok ? 0 : 1;
}

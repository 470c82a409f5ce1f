// Fully connected layer forward pass:  out = in * w + bias   (row-major)
// in: batch x nin, w: nin x nout, bias: nout
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace nn {

constexpr int kTile = 16;

__global__ void linearForward(const float* in, const float* w, const float* bias, float* out,
                              int batch, int nin, int nout) {
  __shared__ float sIn[kTile][kTile];
  __shared__ float sW[kTile][kTile];

  const int r = blockIdx.y * kTile + threadIdx.y;
  const int c = blockIdx.x * kTile + threadIdx.x;
  if (r >= batch || c >= nout) return;

  float acc = bias[c];
  const int phases = (nin + kTile - 1) / kTile;
  for (int p = 0; p < phases; ++p) {
    const int ki = p * kTile + threadIdx.x;
    const int kw = p * kTile + threadIdx.y;
    sIn[threadIdx.y][threadIdx.x] = ki < nin ? in[r * nin + ki] : 0.0f;
    sW[threadIdx.y][threadIdx.x] = kw < nin ? w[kw * nout + c] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) acc += sIn[threadIdx.y][k] * sW[k][threadIdx.x];
    __syncthreads();
  }
  out[r * nout + c] = acc;
}

struct CudaDeleter {
  void operator()(void* p) const { cudaFree(p); }
};
using DevPtr = std::unique_ptr<float, CudaDeleter>;

DevPtr upload(const std::vector<float>& v) {
  float* p = nullptr;
  cudaMalloc(&p, v.size() * sizeof(float));
  cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
  return DevPtr(p);
}

}  // namespace nn

int main() {
  const int batch = 37, nin = 100, nout = 58;
  std::vector<float> in(batch * nin), w(nin * nout), bias(nout), out(batch * nout, 0.0f);
  for (size_t i = 0; i < in.size(); ++i) in[i] = std::cos(0.1f * i);
  for (size_t i = 0; i < w.size(); ++i) w[i] = std::sin(0.3f * i);
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = 0.01f * i;

  auto dIn = nn::upload(in);
  auto dW = nn::upload(w);
  auto dBias = nn::upload(bias);
  auto dOut = nn::upload(out);

  const dim3 block(nn::kTile, nn::kTile);
  const dim3 grid((nout + nn::kTile - 1) / nn::kTile, (batch + nn::kTile - 1) / nn::kTile);
  nn::linearForward<<<grid, block>>>(dIn.get(), dW.get(), dBias.get(), dOut.get(), batch, nin, nout);
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) {
    std::printf("kernel failed: %s\n", cudaGetErrorString(err));
    return 1;
  }
  cudaMemcpy(out.data(), dOut.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost);

  float worst = 0;
  for (int i = 0; i < batch; ++i)
    for (int j = 0; j < nout; ++j) {
      double s = bias[j];
      for (int k = 0; k < nin; ++k) s += (double)in[i * nin + k] * w[k * nout + j];
      worst = std::fmax(worst, std::fabs((float)s - out[i * nout + j]));
    }
  std::printf("worst |error| = %g\n", worst);
  return worst < 1e-3f ? 0 : 1;
}

/**
 * Reduced product: every entry of C is the sum of a 2x2 block of the product A*B.
 * C is (m/2) x (n/2). Each thread keeps its 2x2 block in registers and adds it at the end.
 */
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kBlock = 8;          // 8x8 threads
constexpr int kTile = 2 * kBlock;  // 16x16 entries of the full product
constexpr int kDepth = 8;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) { check(cudaMalloc(&ptr_, count * sizeof(float))); }
  ~DeviceBuffer() { cudaFree(ptr_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void upload(const float* src) { check(cudaMemcpy(ptr_, src, count_ * sizeof(float), cudaMemcpyHostToDevice)); }
  void download(float* dst) const { check(cudaMemcpy(dst, ptr_, count_ * sizeof(float), cudaMemcpyDeviceToHost)); }
  float* get() const { return ptr_; }

 private:
  float* ptr_ = nullptr;
  size_t count_;
};

__global__ void reducedProduct(const float* a, const float* b, float* c, int m, int n, int depth) {
  __shared__ float tileA[kTile][kDepth + 1];
  __shared__ float tileB[kDepth][kTile];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * kBlock + tx;
  const int firstRow = blockIdx.y * kTile;
  const int firstCol = blockIdx.x * kTile;

  float p00 = 0.f, p01 = 0.f, p10 = 0.f, p11 = 0.f;
  for (int k0 = 0; k0 < depth; k0 += kDepth) {
    for (int i = tid; i < kTile * kDepth; i += kBlock * kBlock) {
      const int ar = i / kDepth, ak = i % kDepth;
      const int bk = i / kTile, bc = i % kTile;
      tileA[ar][ak] = (firstRow + ar < m && k0 + ak < depth)
                          ? a[static_cast<size_t>(firstRow + ar) * depth + k0 + ak] : 0.f;
      tileB[bk][bc] = (k0 + bk < depth && firstCol + bc < n)
                          ? b[static_cast<size_t>(k0 + bk) * n + firstCol + bc] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      const float a0 = tileA[2 * ty][k], a1 = tileA[2 * ty + 1][k];
      const float b0 = tileB[k][2 * tx], b1 = tileB[k][2 * tx + 1];
      p00 += a0 * b0;
      p01 += a0 * b1;
      p10 += a1 * b0;
      p11 += a1 * b1;
    }
    __syncthreads();
  }

  const int row = blockIdx.y * kBlock + ty;
  const int col = blockIdx.x * kBlock + tx;
  if (row < m / 2 && col < n / 2)
    c[static_cast<size_t>(row) * (n / 2) + col] = (p00 + p01) + (p10 + p11);
}

}  // namespace

std::vector<float> reducedMatmul(const std::vector<float>& a, const std::vector<float>& b, int m, int n, int k) {
  if (m <= 0 || n <= 0 || k <= 0 || m % 2 != 0 || n % 2 != 0)
    throw std::invalid_argument("m and n must be positive and even, k positive");
  if (a.size() != static_cast<size_t>(m) * k || b.size() != static_cast<size_t>(k) * n)
    throw std::invalid_argument("matrix sizes do not fit");

  std::vector<float> c(static_cast<size_t>(m / 2) * (n / 2));
  DeviceBuffer da(a.size()), db(b.size()), dc(c.size());
  da.upload(a.data());
  db.upload(b.data());
  const dim3 threads(kBlock, kBlock);
  const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  reducedProduct<<<blocks, threads>>>(da.get(), db.get(), dc.get(), m, n, k);
  check(cudaGetLastError());
  dc.download(c.data());
  return c;
}

// Matrix product with a device array class: memory is released by the destructor,
// so nothing has to be freed by hand.
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <vector>

#define CHECK_CUDA(e) checkCuda((e), __FILE__, __LINE__)
inline void checkCuda(cudaError_t e, const char* file, int line)
{
    if (e != cudaSuccess)
        std::cerr << file << ":" << line << " " << cudaGetErrorString(e) << "\n";
}

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : size_(n) { CHECK_CUDA(cudaMalloc(&ptr_, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(ptr_); }

    T* ptr() const { return ptr_; }
    size_t size() const { return size_; }

private:
    T* ptr_ = nullptr;
    size_t size_;
};

template <typename T>
void upload(DeviceArray<T> dst, const std::vector<T>& src)
{
    CHECK_CUDA(cudaMemcpy(dst.ptr(), src.data(), dst.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T>
void download(std::vector<T>& dst, const DeviceArray<T>& src)
{
    CHECK_CUDA(cudaMemcpy(dst.data(), src.ptr(), src.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

// 16 x 16 tiles; guards make every size possible
template <typename T>
__global__ void product(const T* A, const T* B, T* C, int M, int N, int K)
{
    const int W = 16;
    __shared__ T a[W][W], b[W][W];
    int r = blockIdx.y * W + threadIdx.y;
    int c = blockIdx.x * W + threadIdx.x;
    T v = 0;
    for (int s = 0; s < (K + W - 1) / W; s++) {
        int ka = s * W + threadIdx.x, kb = s * W + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (r < M && ka < K) ? A[r * K + ka] : T(0);
        b[threadIdx.y][threadIdx.x] = (kb < K && c < N) ? B[kb * N + c] : T(0);
        __syncthreads();
        for (int i = 0; i < W; i++)
            v += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (r < M && c < N)
        C[r * N + c] = v;
}

int main()
{
    const int M = 300, N = 200, K = 100;
    std::vector<double> hA(M * K), hB(K * N), hC(M * N);
    for (int i = 0; i < M * K; i++) hA[i] = (i % 17) * 0.25;
    for (int i = 0; i < K * N; i++) hB[i] = (i % 11) * 0.5 - 2.0;

    DeviceArray<double> dA(hA.size());
    upload(dA, hA);
    DeviceArray<double> dB(hB.size());
    upload(dB, hB);
    DeviceArray<double> dC(hC.size());

    dim3 threads(16, 16);
    dim3 blocks((N + 15) / 16, (M + 15) / 16);
    product<<<blocks, threads>>>(dA.ptr(), dB.ptr(), dC.ptr(), M, N, K);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    download(hC, dC);

    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double ref = 0;
            for (int k = 0; k < K; k++) ref += hA[i * K + k] * hB[k * N + j];
            if (std::fabs(ref - hC[i * N + j]) > 1e-9 * std::fabs(ref) + 1e-9) wrong++;
        }
    std::cout << wrong << " wrong entries of " << M * N << std::endl;
    return wrong ? 1 : 0;
}

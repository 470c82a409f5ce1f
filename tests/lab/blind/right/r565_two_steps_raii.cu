// 作业四：约化矩阵乘法（分两步）
// 第一步：把 A 的相邻两行相加，把 B 的相邻两列相加
// 第二步：对得到的小矩阵做普通的分块乘法
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

// 显存缓冲区，析构时自动释放
class Buffer {
public:
    explicit Buffer(size_t count) : n_(count) { CHECK(cudaMalloc(&p_, n_ * sizeof(float))); }
    ~Buffer() { cudaFree(p_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    void upload(const std::vector<float>& h) {
        CHECK(cudaMemcpy(p_, h.data(), n_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    void download(std::vector<float>& h) const {
        CHECK(cudaMemcpy(h.data(), p_, n_ * sizeof(float), cudaMemcpyDeviceToHost));
    }
    float* get() { return p_; }
private:
    float* p_ = nullptr;
    size_t n_;
};

// S: (m/2) x k
__global__ void addRowPairs(const float* A, float* S, int mh, int k)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= mh * k) return;
    int i = idx / k, p = idx % k;
    S[idx] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
}

// S: k x (n/2)
__global__ void addColPairs(const float* B, float* S, int k, int nh)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= k * nh) return;
    // B 的一行有 2*nh 个元素，所以第 idx 对正好从 2*idx 开始
    S[idx] = B[2 * idx] + B[2 * idx + 1];
}

// C = A*B，块大小 T x T 在启动时给定，动态共享内存 2*T*T 个 float
__global__ void tiledMul(const float* A, const float* B, float* C, int M, int K, int N)
{
    extern __shared__ float mem[];
    const int T = blockDim.x;
    float* a = mem;
    float* b = mem + T * T;
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
    float s = 0.f;
    for (int t = 0; t < (K + T - 1) / T; t++) {
        int ka = t * T + tx, kb = t * T + ty;
        a[ty * T + tx] = (r < M && ka < K) ? A[r * K + ka] : 0.f;
        b[ty * T + tx] = (kb < K && c < N) ? B[kb * N + c] : 0.f;
        __syncthreads();
        for (int q = 0; q < T; q++) s += a[ty * T + q] * b[q * T + tx];
        __syncthreads();
    }
    if (r < M && c < N) C[r * N + c] = s;
}

int main()
{
    // m、n 必须是偶数
    const int m = 202, k = 75, n = 118, T = 24;
    const int mh = m / 2, nh = n / 2;
    std::vector<float> A(m * k), B(k * n), C(mh * nh);
    for (auto& v : A) v = rand() % 7 - 3;
    for (auto& v : B) v = rand() % 7 - 3;

    Buffer dA(A.size()), dB(B.size()), dC(C.size()), sA((size_t)mh * k), sB((size_t)k * nh);
    dA.upload(A);
    dB.upload(B);

    addRowPairs<<<(mh * k + 255) / 256, 256>>>(dA.get(), sA.get(), mh, k);
    addColPairs<<<(k * nh + 255) / 256, 256>>>(dB.get(), sB.get(), k, nh);
    dim3 grid((nh + T - 1) / T, (mh + T - 1) / T);
    tiledMul<<<grid, dim3(T, T), 2 * T * T * sizeof(float)>>>(sA.get(), sB.get(), dC.get(), mh, k, nh);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    dC.download(C);

    int bad = 0;
    for (int i = 0; i < mh; i++)
        for (int j = 0; j < nh; j++) {
            float s = 0;
            for (int p = 0; p < k; p++)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            if (s != C[i * nh + j]) bad++;
        }
    printf(bad ? "错误 %d\n" : "正确\n", bad);
    return bad != 0;
}

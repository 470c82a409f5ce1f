// What device code mostly takes from algorithm: cuda/std/algorithm takes NVRTC seconds to read.
#ifndef TILEWRIGHT_ALGORITHM_OF_STD
#define TILEWRIGHT_ALGORITHM_OF_STD
namespace std {
template <class T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __device__ constexpr const T& clamp(const T& v, const T& low, const T& high)
{
    return v < low ? low : high < v ? high : v;
}
template <class T> __device__ void swap(T& a, T& b)
{
    T kept = static_cast<T&&>(a);
    a = static_cast<T&&>(b);
    b = static_cast<T&&>(kept);
}
}
#endif

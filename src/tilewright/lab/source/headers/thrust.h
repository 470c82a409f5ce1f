// Stands in for thrust's headers where device code names thrust::, for NVRTC can't read them: its values and functors,
// which are those of cuda::std. Its vectors and algorithms are the host's.
#ifndef TILEWRIGHT_THRUST
#define TILEWRIGHT_THRUST
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
namespace thrust {
using ::cuda::std::complex;
using ::cuda::std::abs;
using ::cuda::std::arg;
using ::cuda::std::conj;
using ::cuda::std::exp;
using ::cuda::std::norm;
using ::cuda::std::polar;
using ::cuda::std::pow;
using ::cuda::std::sqrt;

using ::cuda::std::get;
using ::cuda::std::make_pair;
using ::cuda::std::make_tuple;
using ::cuda::std::pair;
using ::cuda::std::swap;
using ::cuda::std::tie;
using ::cuda::std::tuple;

using ::cuda::std::divides;
using ::cuda::std::equal_to;
using ::cuda::std::greater;
using ::cuda::std::greater_equal;
using ::cuda::std::less;
using ::cuda::std::less_equal;
using ::cuda::std::logical_and;
using ::cuda::std::logical_or;
using ::cuda::std::minus;
using ::cuda::std::multiplies;
using ::cuda::std::negate;
using ::cuda::std::not_equal_to;
using ::cuda::std::plus;
template <class T> struct maximum { __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T> struct minimum { __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
}
#endif

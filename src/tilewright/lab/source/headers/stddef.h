// Stands in for stddef.h, for device code.
#pragma once
typedef long long ptrdiff_t;
namespace std { using ::size_t; using ::ptrdiff_t; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The roundings to bf16 that halyard-pack links where the compiler's library is not installed, against exact ones.
#include "pack/mlir/compiler_builtins.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/program/command.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kBits = R"(
__attribute__((visibility("default"))) unsigned short of_float(float x) { return (unsigned short)halyard_half(__truncsfbf2(x)); }
__attribute__((visibility("default"))) unsigned short of_double(double x) { return halyard_half(__truncdfbf2(x)); }
__attribute__((visibility("default"))) unsigned short of_long(long double x) { return halyard_half(__truncxfbf2(x)); }
__attribute__((visibility("default"))) unsigned short of_quad(double x, double y) {
  return halyard_half(__trunctfbf2((__float128)x + y));
}
)";
constexpr const char* kHalf =
    "static unsigned short halyard_half(__bf16 x) { unsigned short bits; __builtin_memcpy(&bits, &x, 2); return bits; "
    "}\n";

// The nearest bf16, ties to even, of x + y, which no arithmetic rounds: the neighbours are compared with both.
uint16_t Nearest(double x, double y) {
  if (std::isnan(x)) return 0x7FC0;
  uint16_t best = 0;
  const bool negative = std::signbit(x);
  const auto value = [](uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits << 16)); };
  const double size = std::abs(x);
  const double more = negative ? -y : y;
  uint32_t below = std::bit_cast<uint32_t>(static_cast<float>(std::min(size, 3.4e38))) >> 16;
  while (below > 0 && (value(below) > size || (value(below) == size && more < 0))) --below;
  while (below < 0x7F7F && (value(below + 1) < size || (value(below + 1) == size && more >= 0))) ++below;
  const double above = below == 0x7F7F ? 0x1p128 : value(below + 1);
  const double middle = value(below) + (above - value(below)) / 2;
  const bool up = size > middle || (size == middle && (more > 0 || (more == 0 && below % 2 == 1)));
  best = static_cast<uint16_t>(up ? below + 1 : below);
  return negative ? best | 0x8000 : best;
}

TEST(CompilerBuiltins, RoundOnceToTheNearest) {
  const std::string version(SplitText(HALYARD_MLIR_VERSIONS, ' ')[0]);
  if (version.empty()) GTEST_SKIP() << "clang of MLIR's version is not here";
  const WorkFolder folder;
  const std::string library = folder / "builtins.so";
  RunCommand({"clang-" + version, "-O2", "-shared", "-fPIC", "-o", library,
              folder.Write("b.c", std::string(kCompilerBuiltins) + kHalf + kBits)},
             folder);
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << dlerror();
  const auto of_float = reinterpret_cast<uint16_t (*)(float)>(dlsym(handle, "of_float"));
  const auto of_double = reinterpret_cast<uint16_t (*)(double)>(dlsym(handle, "of_double"));
  const auto of_long = reinterpret_cast<uint16_t (*)(long double)>(dlsym(handle, "of_long"));
  const auto of_quad = reinterpret_cast<uint16_t (*)(double, double)>(dlsym(handle, "of_quad"));
  ASSERT_TRUE(of_float && of_double && of_long && of_quad);
  for (uint32_t high = 0; high < 0x10000; high += 7) {
    for (const uint32_t low : {0U, 1U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
      const auto x = std::bit_cast<float>(high << 16 | low);
      if (std::isnan(x)) {
        EXPECT_EQ(of_float(x) & 0x7FC0, 0x7FC0);
        continue;
      }
      if (std::isinf(x)) continue;
      ASSERT_EQ(of_float(x), Nearest(x, 0)) << x;
      const double tiny = std::ldexp(static_cast<double>(x), -40);
      for (const double y : {0.0, tiny, -tiny}) {
        ASSERT_EQ(of_double(x + y), Nearest(x, y)) << x << " + " << y;
        ASSERT_EQ(of_long(static_cast<long double>(x) + y), Nearest(x, y)) << x << " + " << y;
        ASSERT_EQ(of_quad(x, std::ldexp(y, -40)), Nearest(x, y)) << x << " + " << y;
      }
    }
  }
  EXPECT_EQ(of_double(1e300), 0x7F80);
  EXPECT_EQ(of_double(-std::numeric_limits<double>::infinity()), 0xFF80);
  EXPECT_EQ(of_double(0x1p-200), 0);
  EXPECT_EQ(of_double(std::numeric_limits<double>::quiet_NaN()) & 0x7FC0, 0x7FC0);
  dlclose(handle);
}

}  // namespace
}  // namespace halyard::tools

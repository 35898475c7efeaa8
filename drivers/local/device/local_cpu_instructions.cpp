// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction sets, by the names that GCC and Clang give them.
#include "local/device/local_cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstring>
#elif defined(__aarch64__)
#include <array>

#include "platform/system_facts.h"
#endif

namespace halyard::local {
namespace {

#if defined(__x86_64__)

/// Four registers, as CPUID fills them.
enum Register { kEax, kEbx, kEcx, kEdx };
using Registers = std::array<unsigned int, 4>;

/// All zero if the processor does not know the leaf.
Registers CpuId(unsigned int leaf, unsigned int subleaf) {
  Registers r = {};
  if (__get_cpuid_count(leaf, subleaf, &r[kEax], &r[kEbx], &r[kEcx], &r[kEdx]) == 0) return {};
  return r;
}

/// Which registers the system saves when it switches threads: bits of XCR0. Without its own an instruction traps.
enum State : uint64_t { kAny = 0, kAvx = 0x6, kAvx512 = 0xE6, kAmx = 0x60000 };

uint64_t SavedStates() {
  constexpr unsigned int kOsXsave = 1u << 27;
  if ((CpuId(1, 0)[kEcx] & kOsXsave) == 0) return 0;
  unsigned int low = 0;
  unsigned int high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

struct Feature {
  const char* name;
  int level;  // of x86-64 that includes it, by the psABI: 2 to 4; 0 if none does
  State state;
  unsigned int leaf;
  unsigned int subleaf;
  Register where;
  unsigned int bit;
};

constexpr Feature kFeatures[] = {
    {"cx16", 2, kAny, 1, 0, kEcx, 13},
    {"sahf", 2, kAny, 0x80000001, 0, kEcx, 0},
    {"popcnt", 2, kAny, 1, 0, kEcx, 23},
    {"sse3", 2, kAny, 1, 0, kEcx, 0},
    {"ssse3", 2, kAny, 1, 0, kEcx, 9},
    {"sse4.1", 2, kAny, 1, 0, kEcx, 19},
    {"sse4.2", 2, kAny, 1, 0, kEcx, 20},
    {"avx", 3, kAvx, 1, 0, kEcx, 28},
    {"avx2", 3, kAvx, 7, 0, kEbx, 5},
    {"bmi", 3, kAny, 7, 0, kEbx, 3},
    {"bmi2", 3, kAny, 7, 0, kEbx, 8},
    {"f16c", 3, kAvx, 1, 0, kEcx, 29},
    {"fma", 3, kAvx, 1, 0, kEcx, 12},
    {"lzcnt", 3, kAny, 0x80000001, 0, kEcx, 5},
    {"movbe", 3, kAny, 1, 0, kEcx, 22},
    {"avx512f", 4, kAvx512, 7, 0, kEbx, 16},
    {"avx512bw", 4, kAvx512, 7, 0, kEbx, 30},
    {"avx512cd", 4, kAvx512, 7, 0, kEbx, 28},
    {"avx512dq", 4, kAvx512, 7, 0, kEbx, 17},
    {"avx512vl", 4, kAvx512, 7, 0, kEbx, 31},
    {"avx512ifma", 0, kAvx512, 7, 0, kEbx, 21},
    {"avx512vbmi", 0, kAvx512, 7, 0, kEcx, 1},
    {"avx512vbmi2", 0, kAvx512, 7, 0, kEcx, 6},
    {"avx512vnni", 0, kAvx512, 7, 0, kEcx, 11},
    {"avx512bitalg", 0, kAvx512, 7, 0, kEcx, 12},
    {"avx512vpopcntdq", 0, kAvx512, 7, 0, kEcx, 14},
    {"avx512bf16", 0, kAvx512, 7, 1, kEax, 5},
    {"avx512fp16", 0, kAvx512, 7, 0, kEdx, 23},
    {"avxvnni", 0, kAvx, 7, 1, kEax, 4},
    {"amx-tile", 0, kAmx, 7, 0, kEdx, 24},
    {"amx-int8", 0, kAmx, 7, 0, kEdx, 25},
    {"amx-bf16", 0, kAmx, 7, 0, kEdx, 22},
    {"aes", 0, kAny, 1, 0, kEcx, 25},
    {"pclmul", 0, kAny, 1, 0, kEcx, 1},
    {"vaes", 0, kAvx, 7, 0, kEcx, 9},
    {"vpclmulqdq", 0, kAvx, 7, 0, kEcx, 10},
    {"gfni", 0, kAny, 7, 0, kEcx, 8},
    {"sha", 0, kAny, 7, 0, kEbx, 29},
    {"rdrnd", 0, kAny, 1, 0, kEcx, 30},
    {"rdseed", 0, kAny, 7, 0, kEbx, 18},
    {"adx", 0, kAny, 7, 0, kEbx, 19},
};

void ReadVendor(CpuInstructions* out) {
  const Registers r = CpuId(0, 0);
  const unsigned int text[] = {r[kEbx], r[kEdx], r[kEcx]};
  constexpr struct {
    const char* text;
    const char* name;
    uint32_t id;
  } kVendors[] = {{"GenuineIntel", "Intel", 0x8086}, {"AuthenticAMD", "AMD", 0x1022}};
  for (const auto& vendor : kVendors) {
    if (std::memcmp(text, vendor.text, sizeof(text)) != 0) continue;
    out->vendor = vendor.name;
    out->vendor_id = vendor.id;
  }
}

void ReadInstructions(CpuInstructions* out) {
  ReadVendor(out);
  const uint64_t saved = SavedStates();
  int level = 4;
  for (const Feature& feature : kFeatures) {
    const bool is_there = (CpuId(feature.leaf, feature.subleaf)[feature.where] >> feature.bit & 1) != 0;
    if (is_there && (saved & feature.state) == feature.state) {
      out->features.push_back(hal_string_view(feature.name));
    } else if (feature.level != 0 && feature.level <= level) {
      level = feature.level - 1;
    }
  }
  constexpr const char* kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  out->architecture = kLevels[level - 1];
}

#elif defined(__aarch64__)

struct Feature {
  const char* name;
  int level;      // the second number of the first Armv8 that includes it, 1 to 5; 0 if none does
  size_t word;    // AT_HWCAP or AT_HWCAP2
  uint64_t bits;  // all of them
};

constexpr uint64_t Bit(int number) { return uint64_t{1} << number; }

constexpr Feature kFeatures[] = {
    {"crc", 1, 0, Bit(7)},          {"lse", 1, 0, Bit(8)},           {"rdm", 1, 0, Bit(12)},
    {"dpb", 2, 0, Bit(16)},         {"jscvt", 3, 0, Bit(13)},        {"fcma", 3, 0, Bit(14)},
    {"rcpc", 3, 0, Bit(15)},        {"pauth", 3, 0, Bit(30)},        {"dotprod", 4, 0, Bit(20)},
    {"rcpc2", 4, 0, Bit(26)},       {"flagm", 4, 0, Bit(27)},        {"sb", 5, 0, Bit(29)},
    {"flagm2", 5, 1, Bit(7)},       {"frintts", 5, 1, Bit(8)},       {"fp16", 0, 0, Bit(9) | Bit(10)},
    {"fp16fml", 0, 0, Bit(23)},     {"sve", 0, 0, Bit(22)},          {"sve2", 0, 1, Bit(1)},
    {"i8mm", 0, 1, Bit(13)},        {"bf16", 0, 1, Bit(14)},         {"sme", 0, 1, Bit(23)},
    {"aes", 0, 0, Bit(3) | Bit(4)}, {"sha2", 0, 0, Bit(5) | Bit(6)}, {"sha3", 0, 0, Bit(17) | Bit(21)},
};

void ReadInstructions(CpuInstructions* out) {
  const std::array<uint64_t, 2> words = ProcessorFeatureWords();
  int level = 5;
  for (const Feature& feature : kFeatures) {
    if ((words[feature.word] & feature.bits) == feature.bits) {
      out->features.push_back(hal_string_view(feature.name));
    } else if (feature.level != 0 && feature.level <= level) {
      level = feature.level - 1;
    }
  }
  constexpr const char* kLevels[] = {"armv8-a", "armv8.1-a", "armv8.2-a", "armv8.3-a", "armv8.4-a", "armv8.5-a"};
  out->architecture = kLevels[level];
}

#else

void ReadInstructions(CpuInstructions*) {}

#endif

}  // namespace

CpuInstructions ReadCpuInstructions() {
  CpuInstructions instructions;
  ReadInstructions(&instructions);
  return instructions;
}

}  // namespace halyard::local

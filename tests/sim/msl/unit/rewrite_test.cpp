// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has to be rewritten in a text, and what of Metal's library kernels use.
#include <cmath>

#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

using testing::ElementsAre;

class RewriteTest : public MslTest {
 protected:
  // Runs statements that write to `device T* out`, and returns what they wrote.
  template <typename T>
  std::vector<T> Evaluate(const std::string& type, const std::string& statements, size_t count) {
    Use("kernel void run(device " + type + "* out [[buffer(0)]]) {\n" + statements + "\n}\n");
    std::vector<T> out(count);
    Bind(0, &out);
    Run("run", {1, 1, 1}, {1, 1, 1});
    return out;
  }
  std::vector<uint32_t> Uints(const std::string& statements, size_t count) {
    return Evaluate<uint32_t>("uint", statements, count);
  }
  std::vector<float> Floats(const std::string& statements, size_t count) {
    return Evaluate<float>("float", statements, count);
  }
};

TEST_F(RewriteTest, NumbersWithoutSuffixAreFloats) {
  EXPECT_THAT(Uints("out[0] = sizeof(1.0); out[1] = sizeof(2e3); out[2] = sizeof(1.5f); out[3] = sizeof(0x10);"
                    "out[4] = sizeof(1.0h); out[5] = uint(2e3);",
                    6),
              ElementsAre(4, 4, 4, 4, 2, 2000));
  // As Metal computes it: with a double between, the sum would be another one.
  EXPECT_THAT(Floats("float x = 16777216.0; out[0] = (x + 1.0) - 16777216.0;", 1), ElementsAre(0));
}

TEST_F(RewriteTest, VectorsAreMadeOfSeveralValues) {
  EXPECT_THAT(Uints("uint2 a = uint2(1, 2); uint4 b = uint4(a, 3u, 4.7); uint3 c(5u); uint3 d = uint3(6);\n"
                    "out[0] = b.x; out[1] = b.y; out[2] = b.z; out[3] = b.w; out[4] = c.z; out[5] = d.y;\n"
                    "uint2 e = metal::uint2(a.yx); out[6] = e.x; vec<uint, 2> f = vec<uint, 2>(8, 9); out[7] = f.y;",
                    8),
              ElementsAre(1, 2, 3, 4, 5, 6, 2, 9));
}

TEST_F(RewriteTest, MatricesLieInEveryMemory) {
  Use(R"(struct Pair { float2x2 m; float2 v; };
kernel void run(device Pair* in [[buffer(0)]], device float* out [[buffer(1)]], constant Pair& c [[buffer(2)]]) {
  threadgroup __attribute__((aligned(16))) float b[4];
  b[3] = 5;
  const float2 row = in->v * in->m, column = in->m * in->v;
  const float2x2 product = in->m * c.m, sum = in->m + c.m, turned = transpose(in->m);
  out[0] = row.x; out[1] = row.y; out[2] = column.x; out[3] = column.y;
  out[4] = product[0].x; out[5] = sum[1].y; out[6] = turned[0].y; out[7] = b[3];
}
)");
  std::vector<float> in = {1, 2, 3, 4, 5, 6}, constants = {1, 0, 0, 1, 0, 0}, out(8);
  Bind(0, &in);
  Bind(1, &out);
  Bind(2, &constants);
  Run("run", {1, 1, 1}, {1, 1, 1});
  // Columns (1, 2) and (3, 4): rows of 5 and 6.
  EXPECT_THAT(out, ElementsAre(17, 39, 23, 34, 1, 5, 3, 5));
}

TEST_F(RewriteTest, VectorsOfBoolCompare) {
  EXPECT_THAT(Uints("bool3 less = uint3(1, 2, 3) < uint3(2); out[0] = less.x; out[1] = less.y;\n"
                    "out[2] = any(less); out[3] = all(less); out[4] = all(float2(1) == float2(1.0, 1.0));\n"
                    "uint3 chosen = select(uint3(7), uint3(8), less); out[5] = chosen.x; out[6] = chosen.y;\n"
                    "uint3 numbers = uint3(less); out[7] = numbers.x;",
                    8),
              ElementsAre(1, 0, 1, 0, 1, 8, 7, 1));
}

TEST_F(RewriteTest, ArraysOfSpirvCross) {
  // As SPIRV-Cross writes it, with a method for each address space.
  Use(R"(template<typename T, size_t Num>
struct spvUnsafeArray
{
    T elements[Num ? Num : 1];

    thread T& operator [] (size_t pos) thread { return elements[pos]; }
    constexpr const thread T& operator [] (size_t pos) const thread { return elements[pos]; }
    device T& operator [] (size_t pos) device { return elements[pos]; }
    constexpr const device T& operator [] (size_t pos) const device { return elements[pos]; }
    constexpr const constant T& operator [] (size_t pos) const constant { return elements[pos]; }
};
constant spvUnsafeArray<float, 3> _12 = spvUnsafeArray<float, 3>({ 1.0, 2.5, 4.0 });
struct block { spvUnsafeArray<uint, 2> cells; };
kernel void run(device block& out [[buffer(0)]]) {
  spvUnsafeArray<float, 3> copy = _12;
  copy[1] += 1.0;
  out.cells[0] = uint(copy[1] * 2.0);
  out.cells[1] = uint(_12[2]);
}
)");
  std::vector<uint32_t> out(2);
  Bind(0, &out);
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(out, ElementsAre(7, 4));
}

TEST_F(RewriteTest, StructsAreCopiedBetweenAddressSpaces) {
  Use("struct cell { uint a; float3 b; };\n"
      "kernel void run(const device cell* in [[buffer(0)]], device cell* out [[buffer(1)]]) {\n"
      "  cell one = in[0];\n  one.a += 1;\n  out[0] = one;\n}\n");
  EXPECT_EQ(FindKernel("run")->arguments[0].data_size, 32);
  std::vector<uint32_t> in = {41, 0, 0, 0, 1, 2, 3, 0};
  std::vector<uint32_t> out(8);
  Bind(0, &in);
  Bind(1, &out);
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(out[0], 42);
  EXPECT_EQ(out[6], 3);
}

TEST_F(RewriteTest, Macros) {
  const std::vector<std::pair<std::string, std::string>> macros = {{"COUNT", "3"}};
  const CompileResult result = Compile(
      "#include <metal_stdlib>\nusing namespace metal;\n#define KERNEL kernel void\n#if COUNT == 3\n"
      "KERNEL three() {}\n#else\nKERNEL other() {}\n#endif\n",
      macros);
  ASSERT_NE(result.library, nullptr) << result.messages;
  ASSERT_EQ(result.library->Kernels().size(), 1);
  EXPECT_EQ(result.library->Kernels()[0].name, "three");
}

TEST_F(RewriteTest, Bits) {
  EXPECT_THAT(
      Uints("out[0] = popcount(0xF0u); out[1] = clz(1u); out[2] = clz(0u); out[3] = ctz(8u);\n"
            "out[4] = reverse_bits(1u); out[5] = extract_bits(0xABCDu, 4, 8); out[6] = uint(extract_bits(-1, 3, 2));\n"
            "out[7] = insert_bits(0u, 3u, 4, 2); out[8] = mulhi(0x80000000u, 6u); out[9] = rotate(0x80000001u, 1u);\n"
            "out[10] = as_type<uint>(1.0f); out[11] = absdiff(3, -4); out[12] = addsat(0xFFFFFFFFu, 2u);\n"
            "out[13] = uint(mulhi(-1, 2)); out[14] = hadd(3u, 5u);",
            15),
      ElementsAre(4, 31, 32, 3, 0x80000000u, 0xBC, 0xFFFFFFFFu, 0x30, 3, 3, 0x3F800000u, 7, 0xFFFFFFFFu, 0xFFFFFFFFu,
                  4));
}

TEST_F(RewriteTest, PackedNumbers) {
  EXPECT_THAT(Uints("out[0] = pack_float_to_unorm4x8(float4(0, 1, 0.5, 2));\n"
                    "out[1] = pack_float_to_snorm2x16(float2(-1, 1));\n"
                    "out[2] = as_type<uint>(half2(float2(1, -2)));\n"
                    "float4 u = unpack_unorm4x8_to_float(0xFF000033u); out[3] = uint(u.w * 100.0 + u.x * 10.0);\n"
                    "float2 s = unpack_snorm2x16_to_float(0x7FFF8001u); out[4] = uint(s.y - s.x);",
                    5),
              ElementsAre(0xFF80FF00u, 0x7FFF8001u, 0xC0003C00u, 102, 2));
}

TEST_F(RewriteTest, Mathematics) {
  const std::vector<float> out = Floats(
      "out[0] = fast::max(-1.0, 2.0); out[1] = precise::sqrt(16.0); out[2] = metal::fma(2.0, 3.0, 4.0);\n"
      "out[3] = clamp(7.0, 0.0, 1.0); out[4] = mix(1.0, 3.0, 0.5); out[5] = sign(-3.0); out[6] = fract(2.25);\n"
      "out[7] = dot(float3(1, 2, 3), float3(4, 5, 6)); out[8] = length(float2(3, 4)); out[9] = float(half(0.5) + "
      "1.0h);\n"
      "out[10] = max(float2(1, 5), 2.0).x; out[11] = cross(float3(1, 0, 0), float3(0, 1, 0)).z;\n"
      "out[12] = isnan(NAN) ? 1.0 : 0.0; out[13] = step(1.0, 0.5); out[14] = pow(2.0, 10.0); out[15] = rsqrt(4.0);\n"
      "out[16] = INFINITY; out[17] = tanh(0.0); out[18] = select(1.0, 2.0, true); out[19] = min(3, 2);",
      20);
  EXPECT_THAT(out, ElementsAre(2, 4, 10, 1, 2, -1, 0.25F, 32, 5, 1.5F, 2, 1, 1, 0, 1024, 0.5F,
                               std::numeric_limits<float>::infinity(), 0, 2, 2));
}

TEST_F(RewriteTest, PackedVectorsAndMatrices) {
  EXPECT_THAT(
      Floats("packed_float3 p = float3(1, 2, 3); p.y += 1.0; out[0] = (float3(p) * 2.0).y; out[1] = sizeof(p);\n"
             "float2x2 m = float2x2(float2(1, 2), float2(3, 4)); float2 v = m * float2(1, 10);\n"
             "out[2] = v.x; out[3] = v.y; out[4] = determinant(m); out[5] = transpose(m)[0][1];\n"
             "out[6] = (m * m)[1].x; float3x3 d = float3x3(2.0); out[7] = d[2].z + d[0].y;",
             8),
      ElementsAre(6, 12, 31, 42, -2, 3, 15, 2));
}

TEST_F(RewriteTest, SumsAreNotFused) {
  // 1 + 2^-12 squared, less its rounded square: a fused multiplication would leave 2^-24.
  const std::vector<float> out =
      Floats("volatile float x = 1.000244140625; float y = x; out[0] = y * y - 1.00048828125;", 1);
  EXPECT_EQ(out[0], 0);
}

TEST_F(RewriteTest, AtomicsOfAllKinds) {
  EXPECT_THAT(Uints("device atomic_uint* a = (device atomic_uint*)out;\n"
                    "atomic_store_explicit(a, 5u, memory_order_relaxed);\n"
                    "out[1] = atomic_fetch_add_explicit(a, 2u, memory_order_relaxed);\n"
                    "out[2] = atomic_fetch_sub_explicit(a, 1u, memory_order_relaxed);\n"
                    "out[3] = atomic_fetch_or_explicit(a, 8u, memory_order_relaxed);\n"
                    "out[4] = atomic_fetch_and_explicit(a, 12u, memory_order_relaxed);\n"
                    "out[5] = atomic_fetch_xor_explicit(a, 1u, memory_order_relaxed);\n"
                    "out[6] = atomic_fetch_min_explicit(a, 3u, memory_order_relaxed);\n"
                    "out[7] = atomic_fetch_max_explicit(a, 9u, memory_order_relaxed);\n"
                    "out[8] = atomic_exchange_explicit(a, 4u, memory_order_relaxed);\n"
                    "uint expected = 1;\n"
                    "out[9] = atomic_compare_exchange_weak_explicit(a, &expected, 6u, memory_order_relaxed, "
                    "memory_order_relaxed);\n"
                    "out[10] = expected; out[11] = atomic_load_explicit(a, memory_order_relaxed);\n"
                    "atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed);",
                    12),
              ElementsAre(4, 5, 7, 6, 14, 12, 13, 3, 9, 0, 4, 4));
}

TEST_F(RewriteTest, PlacesOfWorkItems) {
  Use(R"(kernel void run(device uint* out [[buffer(0)]],
    uint3 position [[thread_position_in_grid]], uint2 grid [[threads_per_grid]],
    ushort3 group [[threadgroup_position_in_grid]], uint3 groups [[threadgroups_per_grid]],
    uint3 local [[thread_position_in_threadgroup]], uint size [[threads_per_threadgroup]],
    ushort index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint width [[threads_per_simdgroup]],
    uint simdgroups [[simdgroups_per_threadgroup]]) {
  if (position.x != 69 || position.y != 3) return;
  uint values[] = {position.z, grid.x, grid.y, group.x, group.y, groups.x, groups.y, local.x, local.y,
                   size, index, lane, simdgroup, width, simdgroups};
  for (uint i = 0; i < 15; ++i) out[i] = values[i];
}
)");
  std::vector<uint32_t> out(15);
  Bind(0, &out);
  Run("run", {3, 2, 1}, {33, 2, 1});
  EXPECT_THAT(out, ElementsAre(0, 99, 4, 2, 1, 3, 2, 3, 1, 33, 36, 4, 1, 32, 3));
}

}  // namespace
}  // namespace halyard::msl_host

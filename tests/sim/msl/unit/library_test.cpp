// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a library says of its kernels, and its function constants.
#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

using testing::ElementsAre;

class LibraryTest : public MslTest {};

TEST_F(LibraryTest, DescribesArguments) {
  Use("struct cell { float a; ulong b; };\n"
      "kernel void run(device cell* cells [[buffer(3)]], constant uint& count [[buffer(0)]],\n"
      "                const device uchar* bytes [[buffer(30)]], device void* raw [[buffer(1)]],\n"
      "                threadgroup float4* memory [[threadgroup(2)]], uint i [[thread_position_in_grid]]) {}\n");
  const Kernel* const kernel = FindKernel("run");
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(kernel->arguments.size(), 5);
  EXPECT_FALSE(kernel->has_barriers);
  const auto is = [](const Argument& argument, const char* name, AddressSpace space, uint32_t index, bool writable,
                     size_t size, size_t alignment) {
    return argument.name == name && argument.space == space && argument.index == index &&
           argument.writable == writable && argument.data_size == size && argument.alignment == alignment;
  };
  EXPECT_TRUE(is(kernel->arguments[0], "cells", AddressSpace::kDevice, 3, true, 16, 8));
  EXPECT_TRUE(is(kernel->arguments[1], "count", AddressSpace::kConstant, 0, false, 4, 4));
  EXPECT_TRUE(is(kernel->arguments[2], "bytes", AddressSpace::kDevice, 30, false, 1, 1));
  EXPECT_TRUE(is(kernel->arguments[3], "raw", AddressSpace::kDevice, 1, true, 1, 1));
  EXPECT_TRUE(is(kernel->arguments[4], "memory", AddressSpace::kThreadgroup, 2, true, 16, 16));
  ASSERT_EQ(kernel->arguments[0].members.size(), 2);
  EXPECT_EQ(kernel->arguments[0].members[1].name, "b");
  EXPECT_EQ(kernel->arguments[0].members[1].offset, 8);
}

TEST_F(LibraryTest, DescribesArgumentBuffers) {
  Use("struct in_t { float3 v; uchar tail; };\n"
      "struct set { const device in_t* a [[id(0)]]; device uint* b [[id(2)]]; constant float& c [[id(5)]]; float d, e; "
      "};\n"
      "kernel void run(constant set& set0 [[buffer(0)]]) {}\n");
  const std::vector<Member>& members = FindKernel("run")->arguments[0].members;
  ASSERT_EQ(members.size(), 5);
  EXPECT_EQ(FindKernel("run")->arguments[0].data_size, 32);
  const auto is = [](const Member& member, const char* name, uint32_t id, size_t offset, size_t size, bool pointer,
                     bool writable) {
    return member.name == name && member.id == id && member.offset == offset && member.size == size &&
           member.pointer == pointer && member.writable == writable;
  };
  EXPECT_TRUE(is(members[0], "a", 0, 0, 8, true, false));
  EXPECT_TRUE(is(members[1], "b", 2, 8, 8, true, true));
  EXPECT_TRUE(is(members[2], "c", 5, 16, 8, true, false));
  EXPECT_TRUE(is(members[3], "d", 3, 24, 4, false, false));
  EXPECT_TRUE(is(members[4], "e", 4, 28, 4, false, false));
}

TEST_F(LibraryTest, FindsDeclarationsInNamespaces) {
  Use("namespace a {\nnamespace b {\nstruct cell { uint x, y; };\n}\n"
      "constant uint size [[function_constant(2)]];\nconstant uint twice = size * 2;\n}\n"
      "namespace a {\nkernel void run(device b::cell* cells [[buffer(0)]]) { cells[0].y = twice; }\n}\n"
      "kernel void other(device a::b::cell* cells [[buffer(0)]]) {}\n");
  ASSERT_NE(FindKernel("a::run"), nullptr);
  EXPECT_EQ(FindKernel("a::run")->arguments[0].members.size(), 2);
  EXPECT_EQ(FindKernel("other")->arguments[0].members[1].name, "y");
  program_ = library_->Specialise({{Value<uint32_t>(2, 21)}});
  std::vector<uint32_t> cells(2);
  Bind(0, &cells);
  Run("a::run", {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(cells[1], 42);
}

TEST_F(LibraryTest, NumbersBuffersThatHaveNoAttribute) {
  Use("kernel void run(device uint* a, device uint* b [[buffer(0)]], constant uint& c) {}\n");
  const std::vector<Argument>& arguments = FindKernel("run")->arguments;
  ASSERT_EQ(arguments.size(), 3);
  EXPECT_EQ(arguments[0].index, 1);
  EXPECT_EQ(arguments[1].index, 0);
  EXPECT_EQ(arguments[2].index, 2);
}

TEST_F(LibraryTest, MayBeEmpty) {
  Use("");
  EXPECT_TRUE(library_->Kernels().empty());
  const CompileResult nothing = Compile("");
  EXPECT_NE(nothing.library, nullptr) << nothing.messages;
}

TEST_F(LibraryTest, RunsNothingForAGridOfZero) {
  Use("kernel void run(device uint* a [[buffer(0)]]) { a[0] = 1; }\n");
  std::vector<uint32_t> out(1);
  Bind(0, &out);
  Run("run", {0, 1, 1}, {1, 1, 1});
  EXPECT_EQ(out[0], 0);
  EXPECT_THROW(Run("walk", {1, 1, 1}, {1, 1, 1}), std::invalid_argument);
}

constexpr const char* kConstantsSource = R"(
constant bool flag [[function_constant(0)]];
constant uint size_tmp [[function_constant(3)]];
constant uint size = is_function_constant_defined(size_tmp) ? size_tmp : 5u;
constant float factor [[function_constant(7)]];
constant short small [[function_constant(8)]];
constant ulong large [[function_constant(9)]];
constant uint twice = (size * 2u);
constant uint3 shape = uint3(size, twice, 1u);
constant uint fixed = 16u / 4u;
constant float table[2] = {factor, 1.0};
kernel void run(device float* out [[buffer(0)]]) {
  threadgroup uint memory[fixed];
  memory[0] = 3;
  float values[] = {float(flag), float(size), factor, float(small), float(large), float(twice),
                    float(shape.y), float(memory[0]), table[0] + table[1],
                    float(is_function_constant_defined(factor))};
  for (uint i = 0; i < 10; ++i) out[i] = values[i];
}
)";

TEST_F(LibraryTest, ListsFunctionConstants) {
  Use(kConstantsSource);
  ASSERT_EQ(library_->Constants().size(), 5);
  EXPECT_EQ(library_->Constants()[1].name, "size_tmp");
  EXPECT_EQ(library_->Constants()[1].index, 3);
  EXPECT_EQ(library_->Constants()[1].type, ConstantType::kUint);
  EXPECT_EQ(library_->Constants()[2].type, ConstantType::kFloat);
  EXPECT_EQ(library_->Constants()[4].type, ConstantType::kUlong);
}

TEST_F(LibraryTest, HasACopyForEachSetOfConstants) {
  Use(kConstantsSource);
  std::vector<float> out(10);
  Bind(0, &out);
  const std::shared_ptr<const Program> plain = program_;
  const std::shared_ptr<const Program> set = library_->Specialise(
      {{Value(7, 1.5F), Value(0, true), Value<uint32_t>(3, 8), Value<int16_t>(8, -2), Value<uint64_t>(9, 1 << 20)}});
  const std::shared_ptr<const Program> part = library_->Specialise({{Value<uint32_t>(3, 6)}});
  program_ = set;
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(out, ElementsAre(1, 8, 1.5F, -2, 1 << 20, 16, 16, 3, 2.5F, 1));
  program_ = plain;
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(out, ElementsAre(0, 5, 0, 0, 0, 10, 10, 3, 1, 0));
  program_ = part;
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(out, ElementsAre(0, 6, 0, 0, 0, 12, 12, 3, 1, 0));
}

TEST_F(LibraryTest, ProgramsOutliveTheirLibrary) {
  Use("kernel void run(device uint* a [[buffer(0)]]) { a[0] = 9; }\n");
  library_.reset();
  std::vector<uint32_t> out(1);
  Bind(0, &out);
  Run("run", {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(out[0], 9);
}

}  // namespace
}  // namespace halyard::msl_host

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signatures in executable files: read back as they were written, and refused by their field where they lie.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "container_samples.h"

namespace halyard::testing {
namespace {

// Fields of the tables, in the order of the schema.
constexpr unsigned kExportsField = 2;
constexpr unsigned kSignature = 5;
enum SignatureField : unsigned { kConvention, kArguments, kResults };
enum ValueField : unsigned {
  kValueKind,
  kElementType,
  kRole,
  kValueAccess,
  kOwnership,
  kSizes,
  kStrided,
  kStrides,
  kValueOffset
};

TEST(ContainerSignatureTest, IsReadBack) {
  Container container;
  const FileBytes file = SampleFile(FunctionContents());
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 2u);
  ExpectSame(container.contents(), FunctionContents());
}

TEST(ContainerSignatureTest, CFunctionsAreReadBackByNewerReaders) {
  Container container;
  const FileBytes file = SampleFile(CFunctionContents());
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 3u);
  ExpectSame(container.contents(), CFunctionContents());
}

TEST(ContainerSignatureTest, KernelsAloneNeedNoNewerReader) {
  Container container;
  ASSERT_EQ(container.Parse(SampleFile()), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 1u);
}

/// A change to the bytes of the signature of `f`, and what must be said of it.
struct SignatureLie {
  const char* name;
  const char* message;
  std::function<void(FileBytes& file, const MetadataPatch& patch, size_t signature)> tell;
};

void PrintTo(const SignatureLie& lie, std::ostream* out) { *out << lie.name; }

size_t Argument(const MetadataPatch& p, size_t signature, size_t index) {
  return p.Element(p.Follow(p.Field(signature, kArguments)), index);
}
size_t Result(const MetadataPatch& p, size_t signature, size_t index) {
  return p.Element(p.Follow(p.Field(signature, kResults)), index);
}
/// A field of one byte, which must be there.
void SetByte(FileBytes& file, size_t offset, unsigned value) {
  ASSERT_NE(offset, 0u);
  file[offset] = static_cast<std::byte>(value);
}

using File = FileBytes;
using Patch = MetadataPatch;

const SignatureLie kSignatureLies[] = {
    {"Convention", "exports[0].signature.convention: 5 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(s, kConvention), 5); }},
    {"Kind", "exports[0].signature.arguments[0].kind: 5 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kValueKind), 5); }},
    {"KindOfCFunctions", "exports[0].signature.arguments[4].kind: 3 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 4), kValueKind), 3); }},
    {"KindOfAnotherShape", "exports[0].signature.arguments[0].sizes: there are 2; at most 0 are possible",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kValueKind), 2); }},
    {"Access", "exports[0].signature.arguments[0].access: 3 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kValueAccess), 3); }},
    {"Role", "exports[0].signature.arguments[1].role: 11 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 1), kRole), 11); }},
    {"RoleOfCFunctions", "exports[0].signature.arguments[1].role: 7 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 1), kRole), 7); }},
    {"Ownership", "exports[0].signature.results[0].ownership: 3 is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Result(p, s, 0), kOwnership), 3); }},
    {"ElementType", "exports[0].signature.arguments[0].element_type: 0x5ff is unknown",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kElementType), 0xFF); }},
    {"OtherElementType", "exports[0].parameters: these 7 and 1 bytes of constants are not the 7 and 2 that follow",
     [](File& f, const Patch& p, size_t s) {
       const size_t type = p.Field(Argument(p, s, 3), kElementType);
       SetByte(f, type, 16);
       SetByte(f, type + 1, HAL_NUMERIC_KIND_FLOAT);
     }},
    {"OtherAccess", "exports[0].parameters: these 7 and 1 bytes of constants are not the",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kValueAccess), 2); }},
    {"NegativeSize", "exports[0].signature.arguments[0].sizes[1]: -253; expected 0 or more, or HAL_DYNAMIC",
     [](File& f, const Patch& p, size_t s) {
       const size_t second = p.Follow(p.Field(Argument(p, s, 0), kSizes)) + 4 + 8;
       for (size_t i = 1; i < 8; ++i) SetByte(f, second + i, 0xFF);
     }},
    {"SizesThatReachPastTheEnd", "bytes are no FlatBuffer of an executable",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(Argument(p, s, 0), kSizes)) + 2, 1); }},
    {"FewerSizesThanStrides", "exports[0].signature.arguments[0].strides: there are 2 for 1 sizes",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(Argument(p, s, 0), kSizes)), 1); }},
    {"StridesWithoutLayout", "exports[0].signature.arguments[0].strides: there are 2 for 2 sizes without a layout",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Field(Argument(p, s, 0), kStrided), 0); }},
    {"LayoutWithoutStrides", "exports[0].signature.arguments[0].strides: there are 0 for 2 sizes",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(Argument(p, s, 0), kStrides)), 0); }},
    {"FewerArguments", "exports[0].parameters: these 7 and 1 bytes of constants are not the",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(s, kArguments)), 4); }},
    {"ManyArguments", "bytes are no FlatBuffer of an executable",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(s, kArguments)) + 1, 1); }},
    {"FewerResults", "exports[0].parameters: these 7 and 1 bytes of constants are not the 6 and 1 that follow",
     [](File& f, const Patch& p, size_t s) { SetByte(f, p.Follow(p.Field(s, kResults)), 2); }},
};

class ContainerSignatureLieTest : public ::testing::TestWithParam<SignatureLie> {};

TEST_P(ContainerSignatureLieTest, IsNamedByItsField) {
  FileBytes file = SampleFile(FunctionContents());
  const MetadataPatch patch(file);
  const size_t function = patch.Element(patch.Follow(patch.Field(patch.Root(), kExportsField)), 0);
  GetParam().tell(file, patch, patch.Follow(patch.Field(function, kSignature)));
  Rehash(file);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Lies, ContainerSignatureLieTest, ::testing::ValuesIn(kSignatureLies),
                         [](const auto& each) { return std::string(each.param.name); });

FileBytes FileOf(ContainerExport function) {
  ContainerContents contents = FunctionContents();
  contents.exports.clear();
  contents.exports.push_back(std::move(function));
  contents.variants[0].entry_points = EntryPointsOf({""});
  const ImagePlace place = {kPage, 1, 1, 1};
  return LyingFile(contents, {&place, 1});
}
/// A file of one function of one argument, whatever that is.
FileBytes FileWithArgument(const hal_value_type_t& type, hal_calling_convention_t convention) {
  return FileOf(FunctionExport("f", convention, {&type, 1}, {}));
}
/// The same with results.
FileBytes FileWithResults(hal_calling_convention_t convention, std::span<const hal_value_type_t> types) {
  return FileOf(FunctionExport("f", convention, {}, types));
}

TEST(ContainerSignatureTest, RankIsBounded) {
  const std::vector<int64_t> sizes(65, 1);
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_RANKED;
  type.element_type = HAL_ELEMENT_TYPE_I8;
  type.sizes = sizes.data();
  type.rank = 64;
  Container container;
  EXPECT_EQ(container.Parse(FileWithArgument(type, HAL_CALLING_CONVENTION_WRAPPER)), kOk) << LastErrorMessage();
  type.rank = 65;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_WRAPPER), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].sizes: there are 65; at most 64 are possible"));
}

TEST(ContainerSignatureTest, BarePointersHaveStaticShapes) {
  const int64_t size = HAL_DYNAMIC;
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_RANKED;
  type.element_type = HAL_ELEMENT_TYPE_I8;
  type.sizes = &size;
  type.rank = 1;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_BARE_POINTER), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].sizes[0]: -9223372036854775808; bare pointers need static"));
}

TEST(ContainerSignatureTest, OpaqueScalarsAndWorkgroupNumbersOfOtherTypesAreRefused) {
  hal_value_type_t type = {};
  type.element_type = HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 64);
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_WRAPPER), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].element_type: an opaque scalar cannot be passed"));
  type.element_type = HAL_ELEMENT_TYPE_F32;
  type.role = HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_WRAPPER), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].role: a workgroup number is an index, i64 or i32, not f32"));
}

TEST(ContainerSignatureTest, CFunctionsTakeNoMemrefsAndReturnOneNumberAtMost) {
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_UNRANKED;
  type.element_type = HAL_ELEMENT_TYPE_I8;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_C), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].kind: C functions take pointers, not memrefs"));
  type.kind = HAL_VALUE_KIND_POINTER;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_WRAPPER), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].kind: 3 is unknown"));
  type.role = HAL_ARGUMENT_ROLE_WORKGROUP_ID_X;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_C), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].role: a pointer is no workgroup number"));
  type = {};
  type.element_type = HAL_ELEMENT_TYPE_I32;
  type.role = HAL_ARGUMENT_ROLE_NULL;
  EXPECT_TRUE(Refuses(FileWithArgument(type, HAL_CALLING_CONVENTION_C), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.arguments[0].role: only pointers are NULL"));
  type.role = HAL_ARGUMENT_ROLE_DATA;
  EXPECT_TRUE(Refuses(FileWithResults(HAL_CALLING_CONVENTION_C_STATUS, {&type, 1}), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.results: a C function that returns a status returns nothing else"));
  const hal_value_type_t two[] = {type, type};
  EXPECT_TRUE(Refuses(FileWithResults(HAL_CALLING_CONVENTION_C, two), HAL_STATUS_DATA_LOSS,
                      "exports[0].signature.results: there are 2; a C function returns one at most"));
}

/// FlatBuffers looks at how the length of a list is aligned, but not at its elements.
TEST(ContainerSignatureTest, NumbersMayLieMisaligned) {
  FileBytes file = SampleFile(FunctionContents());
  MetadataPatch patch(file);
  const size_t function = patch.Element(patch.Follow(patch.Field(patch.Root(), kExportsField)), 0);
  const size_t argument = Argument(patch, patch.Follow(patch.Field(function, kSignature)), 0);
  const size_t sizes = patch.Field(argument, kSizes);
  const size_t list = patch.Follow(sizes);
  // The padding before the list and its length become a list of one number, 4 bytes before where it should lie.
  patch.SetNumber(sizes, patch.Number(sizes) - 4);
  patch.SetNumber(list - 4, 1);
  Rehash(file);
  Container container;
  EXPECT_NE(Publish(container.Parse(file)),
            HAL_STATUS_OK);  // 1 size for 2 strides; what matters is what the sanitizers say
}

}  // namespace
}  // namespace halyard::testing

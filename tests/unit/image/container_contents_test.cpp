// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may stand in an executable file.
#include "image/halx/container_contents.h"

#include <gtest/gtest.h>

#include <string>

#include "container_samples.h"

namespace halyard::testing {
namespace {

struct Mistake {
  const char* name;
  const char* message;  ///< begins with the field
  void (*make)(ContainerContents& contents);
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

/// Texts that outlive the contents that view them.
const std::string& LongText(size_t size) {
  static const std::string text(1u << 17, 'x');
  static std::string cut;
  return cut = text.substr(0, size);
}

using Contents = ContainerContents;

const Mistake kMistakes[] = {
    {"NoExports", "exports: there are 0", [](Contents& c) { c.exports.clear(); }},
    {"TooManyExports", "exports: there are 65537", [](Contents& c) { c.exports.resize(65537); }},
    {"EmptyName", "exports[1].name: is empty", [](Contents& c) { c.exports[1].name = ""; }},
    {"LongName", "exports[0].name: has 65536 bytes", [](Contents& c) { c.exports[0].name = LongText(65536); }},
    {"NameWithZero", "exports[0].name: there is a control character at byte 1",
     [](Contents& c) { c.exports[0].name = std::string_view("a\0b", 3); }},
    {"NameWithEscape", "exports[0].name: there is a control character at byte 0",
     [](Contents& c) { c.exports[0].name = "\x1b[2J"; }},
    {"NameWithC1Control", "exports[0].name: there is a control character at byte 1",
     [](Contents& c) { c.exports[0].name = "a\xc2\x9b"; }},
    {"NameNotUtf8", "exports[0].name: byte 0xff at 2 is not UTF-8", [](Contents& c) { c.exports[0].name = "ab\xff"; }},
    {"NameCutUtf8", "exports[0].name: byte 0xc3 at 0 is not UTF-8", [](Contents& c) { c.exports[0].name = "\xc3"; }},
    {"NameOverlongUtf8", "exports[0].name: byte 0xe0 at 0", [](Contents& c) { c.exports[0].name = "\xe0\x80\xaf"; }},
    {"NameSurrogate", "exports[0].name: byte 0xed at 0", [](Contents& c) { c.exports[0].name = "\xed\xa0\x80"; }},
    {"NamePastUnicode", "exports[0].name: byte 0xf4", [](Contents& c) { c.exports[0].name = "\xf4\x90\x80\x80"; }},
    {"SameNames", "exports[1].name: 'scale' is the name of exports[0] already",
     [](Contents& c) { c.exports[1].name = "scale"; }},
    {"WorkgroupWithoutY", "exports[0].workgroup_size: (64, 0, 1) has a 0",
     [](Contents& c) { c.exports[0].workgroup_size.y = 0; }},
    {"WorkgroupOnlyWithoutX", "exports[1].workgroup_size: (0, 2, 1) has a 0",
     [](Contents& c) { c.exports[1].workgroup_size.y = 2; }},
    {"AbsurdLocalMemory", "exports[0].local_memory_size: 1073741825 bytes",
     [](Contents& c) { c.exports[0].local_memory_size = (1u << 30) + 1; }},
    {"AbsurdConstants", "exports[1].constants_size: 1048577 bytes",
     [](Contents& c) { c.exports[1].constants_size = (1u << 20) + 1; }},
    {"TooManyParameters", "exports[1].parameters: there are 4097",
     [](Contents& c) { c.exports[1].parameters.resize(4097); }},
    {"UnknownKind", "exports[0].parameters[2].kind: 6 is unknown",
     [](Contents& c) { c.exports[0].parameters[2].kind = static_cast<hal_parameter_kind_t>(6); }},
    {"UnknownAccess", "exports[0].parameters[1].access: 3 is unknown",
     [](Contents& c) { c.exports[0].parameters[1].access = static_cast<hal_binding_access_t>(3); }},
    {"BindingWithSize", "exports[0].parameters[1].offset: a binding has offset 0 and size 0, not 0 and 4",
     [](Contents& c) { c.exports[0].parameters[1].size = 4; }},
    {"BindingWithOffset", "exports[0].parameters[1].offset: a binding has",
     [](Contents& c) { c.exports[0].parameters[1].offset = 4; }},
    {"AbsurdSet", "exports[0].parameters[2].set: 256; at most 256 sets",
     [](Contents& c) { c.exports[0].parameters[2].set = 256; }},
    {"BindingTwice", "exports[0].parameters[2]: binding 0 of set 0 is parameters[1] already",
     [](Contents& c) { c.exports[0].parameters[2] = c.exports[0].parameters[1]; }},
    {"EmptyConstant", "exports[0].parameters[0].size: a constant of 0 bytes",
     [](Contents& c) { c.exports[0].parameters[0].size = 0; }},
    {"ConstantPastEnd", "exports[0].parameters[3].offset: 9 + size 8 exceeds constants_size, which is 16",
     [](Contents& c) { c.exports[0].parameters[3].offset = 9; }},
    {"ConstantThatWraps", "exports[0].parameters[3].offset: 4294967295 + size 8 exceeds",
     [](Contents& c) { c.exports[0].parameters[3].offset = UINT32_MAX; }},
    {"ConstantWithSet", "exports[0].parameters[0].set: a constant has set 0",
     [](Contents& c) { c.exports[0].parameters[0].set = 1; }},
    {"ConstantWithBinding", "exports[0].parameters[0].set: a constant has set 0 and binding 0, not 0 and 2",
     [](Contents& c) { c.exports[0].parameters[0].binding = 2; }},
    {"NoVariants", "variants: there are 0", [](Contents& c) { c.variants.clear(); }},
    {"TooManyVariants", "variants: there are 65537", [](Contents& c) { c.variants.resize(65537); }},
    {"EmptyFormat", "variants[0].format: is empty", [](Contents& c) { c.variants[0].format = ""; }},
    {"FormatWithSpace", "variants[0].format: byte 0x20 at 3", [](Contents& c) { c.variants[0].format = "ptx 8"; }},
    {"LongFormat", "variants[2].format: has 65 bytes", [](Contents& c) { c.variants[2].format = LongText(65); }},
    {"NestedFile", "variants[1].format: 'halx' is the format of whole files",
     [](Contents& c) { c.variants[1].format = "halx"; }},
    {"TargetWithQuote", "variants[1].target: byte 0x22 at 0", [](Contents& c) { c.variants[1].target = "\"sm\""; }},
    {"LongTarget", "variants[1].target: has 65 bytes", [](Contents& c) { c.variants[1].target = LongText(65); }},
    {"EmptyImage", "variants[2].image: is empty", [](Contents& c) { c.variants[2].image = {}; }},
    {"NoEntryPoints", "variants[0].entry_points: there are 0", [](Contents& c) { c.variants[0].entry_points.clear(); }},
    {"TooManyEntryPoints", "variants[1].entry_points: there are 3; at least 1 and at most 2",
     [](Contents& c) { c.variants[1].entry_points.push_back(c.variants[1].entry_points[1]); }},
    {"EntryPointOfNoExport", "variants[1].entry_points[1].export: 2, of 2 exports",
     [](Contents& c) { c.variants[1].entry_points[1].ordinal = 2; }},
    {"EntryPointTwice", "variants[1].entry_points[1]: of exports[0], behind one of exports[0]",
     [](Contents& c) { c.variants[1].entry_points[1].ordinal = 0; }},
    {"ExportInNoImage", "exports[1]: 'füllen' is in none of the variants",
     [](Contents& c) {
       for (ContainerVariant& variant : c.variants) variant.entry_points.pop_back();
     }},
    {"SymbolWithControl", "variants[0].entry_points[1].symbol: there is a control character",
     [](Contents& c) { c.variants[0].entry_points[1].symbol = "a\n"; }},
    {"UnknownLaunchFlag", "variants[0].entry_points[0].launch.flags: 0x100 is unknown",
     [](Contents& c) { c.variants[0].entry_points[0].launch.flags = 0x101; }},
    {"OddLaunchSize", "variants[0].entry_points[0].launch.workgroup_size: (2, 0, 1) has a 0",
     [](Contents& c) {
       c.variants[0].entry_points[0].launch.workgroup_size = {2, 0, 1};
     }},
    {"OddCluster", "variants[0].entry_points[0].launch.cluster_size: (0, 1, 1) has a 0",
     [](Contents& c) {
       c.variants[0].entry_points[0].launch.cluster_size = {0, 1, 1};
     }},
    {"OtherFixedSides",
     "variants[0].entry_points[0].launch.fixed_sides: (0, 4, 0), but workgroups have (64, 2, 1) work-items",
     [](Contents& c) { c.variants[0].entry_points[0].launch.fixed_sides.y = 4; }},
    {"OtherFixedSidesOfALaunch",
     "variants[0].entry_points[1].launch.fixed_sides: (0, 0, 2), but workgroups have (8, 1, 1) work-items",
     [](Contents& c) {
       c.variants[0].entry_points[1].launch.workgroup_size = {8, 1, 1};
       c.variants[0].entry_points[1].launch.fixed_sides.z = 2;
     }},
    {"OddSubgroups", "variants[0].entry_points[0].launch.subgroup_size: 24 is no power of two",
     [](Contents& c) { c.variants[0].entry_points[0].launch.subgroup_size = 24; }},
    {"NoSubgroups", "variants[0].entry_points[0].launch.subgroup_size: no size is 0 and from 64 to 32",
     [](Contents& c) {
       c.variants[0].entry_points[0].launch.min_subgroup_size = 64;
       c.variants[0].entry_points[0].launch.max_subgroup_size = 32;
     }},
    {"AbsurdDynamicMemory", "variants[0].entry_points[0].launch.dynamic_local_memory_size: 2147483648 bytes",
     [](Contents& c) { c.variants[0].entry_points[0].launch.dynamic_local_memory_size = 1u << 31; }},
    {"OtherBindings", "variants[0].entry_points[0].parameters: they have other bindings than those of the export",
     [](Contents& c) { c.variants[0].entry_points[0].parameters = {hal_parameter_constant(0, 4)}; }},
    {"OwnConstantPastEnd", "variants[0].entry_points[0].parameters[0].offset: 16 + size 4 exceeds",
     [](Contents& c) { c.variants[0].entry_points[0].parameters = {hal_parameter_constant(16, 4)}; }},
    {"NamesForSome", "exports[0].infos: there are 1 for 4 parameters",
     [](Contents& c) { c.exports[0].infos.resize(1); }},
    {"NameWithControl", "exports[0].parameters[2].name: there is a control character",
     [](Contents& c) {
       c.exports[0].infos.resize(4);
       c.exports[0].infos[2].name = HAL_STRING_LITERAL("a\tb");
     }},
    {"NullWithSize", "exports[0].parameters[0].offset: a null pointer has offset 0 and size 0, not 0 and 4",
     [](Contents& c) { c.exports[0].parameters[0].kind = HAL_PARAMETER_KIND_NULL; }},
    {"NullWithBinding", "exports[0].parameters[0].set: a null pointer has set 0 and binding 0, not 0 and 1",
     [](Contents& c) { c.exports[0].parameters[0] = {HAL_PARAMETER_KIND_NULL, 0, 0, 0, 1, {}}; }},
    {"EmptyScratch", "exports[0].parameters[0].size: scratch of 0 bytes",
     [](Contents& c) { c.exports[0].parameters[0] = {HAL_PARAMETER_KIND_SCRATCH, 16, 0, 0, 0, {}}; }},
    {"AbsurdScratch", "exports[0].parameters[0].size: 67108865 bytes of scratch",
     [](Contents& c) { c.exports[0].parameters[0] = {HAL_PARAMETER_KIND_SCRATCH, 16, (64u << 20) + 1, 0, 0, {}}; }},
    {"OddScratchAlignment", "exports[0].parameters[0].offset: 24, the alignment of scratch",
     [](Contents& c) { c.exports[0].parameters[0] = {HAL_PARAMETER_KIND_SCRATCH, 24, 4, 0, 0, {}}; }},
    {"AddressPastEnd", "exports[0].parameters[1].offset: 16 + size 8 exceeds constants_size, which is 16",
     [](Contents& c) { c.exports[0].parameters[1] = {HAL_PARAMETER_KIND_BINDING_ADDRESS, 16, 0, 0, 0, {}}; }},
    {"OddAddress", "exports[0].parameters[1].offset: 4, of an address among the constants",
     [](Contents& c) { c.exports[0].parameters[1] = {HAL_PARAMETER_KIND_BINDING_ADDRESS, 4, 0, 0, 0, {}}; }},
    {"AddressWithSize", "exports[0].parameters[1].size: the address of a binding has size 0, not 8",
     [](Contents& c) { c.exports[0].parameters[1] = {HAL_PARAMETER_KIND_BINDING_ADDRESS, 0, 8, 0, 0, {}}; }},
    {"AddressTwice", "exports[0].parameters[2]: constant byte 8 has the address of parameters[1] already",
     [](Contents& c) {
       c.exports[0].parameters[1] = c.exports[0].parameters[2] = {HAL_PARAMETER_KIND_BINDING_ADDRESS, 8, 0, 0, 0, {}};
     }},
    {"MapWithSize", "exports[0].parameters[0].offset: a tensor map has offset 0 and size 0, not 0 and 4",
     [](Contents& c) { c.exports[0].parameters[0].kind = HAL_PARAMETER_KIND_TENSOR_MAP; }},
    {"MapWithoutDescription", "exports[0].tensor_maps: there are 0 for 1 parameters that are one",
     [](Contents& c) { c.exports[0].parameters[1].kind = HAL_PARAMETER_KIND_TENSOR_MAP; }},
    {"DescriptionWithoutMap", "exports[0].tensor_maps: there are 1 for 0 parameters that are one",
     [](Contents& c) { c.exports[0].tensor_maps.resize(1); }},
    {"MapWithoutRank", "exports[0].tensor_maps[0].rank: 0; it must be from 1 to 5",
     [](Contents& c) {
       c.exports[0].parameters[1].kind = HAL_PARAMETER_KIND_TENSOR_MAP;
       c.exports[0].tensor_maps.resize(1);
     }},
    {"OwnDescriptionWithoutMap", "variants[0].entry_points[0].tensor_maps: there are 1 for 0 parameters",
     [](Contents& c) { c.variants[0].entry_points[0].tensor_maps.resize(1); }},
    {"SameVariants", "variants[2]: format 'ptx' for target 'sm_80' is variants[1] already",
     [](Contents& c) { c.variants[2].format = "ptx", c.variants[2].target = "sm_80"; }},
};

class ContainerContentsTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(ContainerContentsTest, MistakeIsNamedByItsField) {
  ContainerContents contents = SampleContents();
  GetParam().make(contents);
  for (const hal_status_t failure : {HAL_STATUS_DATA_LOSS, HAL_STATUS_INVALID_ARGUMENT}) {
    EXPECT_EQ(Publish(CheckContents(contents, failure)), failure);
    EXPECT_EQ(LastErrorMessage().substr(0, std::string_view(GetParam().message).size()), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, ContainerContentsTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ContainerContentsTest, SampleIsRight) {
  EXPECT_EQ(CheckContents(SampleContents(), HAL_STATUS_DATA_LOSS), kOk) << LastErrorMessage();
}

TEST(ContainerContentsTest, LargestValuesAreAccepted) {
  ContainerContents contents = SampleContents();
  ContainerExport& info = contents.exports[1];
  info.name = LongText(65535);
  info.workgroup_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  info.local_memory_size = 1u << 30;
  info.constants_size = 1u << 20;
  info.parameters = {hal_parameter_constant((1u << 20) - 1, 1),
                     hal_parameter_binding(UINT32_MAX, HAL_BINDING_ACCESS_READ_WRITE)};
  info.parameters[1].set = 255;
  EXPECT_EQ(CheckContents(contents, HAL_STATUS_DATA_LOSS), kOk) << LastErrorMessage();
}

TEST(ContainerContentsTest, SameBindingNumberInTwoSetsIsFine) {
  ContainerContents contents = SampleContents();
  contents.exports[0].parameters[2] = contents.exports[0].parameters[1];
  contents.exports[0].parameters[2].set = 1;
  EXPECT_EQ(CheckContents(contents, HAL_STATUS_DATA_LOSS), kOk) << LastErrorMessage();
}

}  // namespace
}  // namespace halyard::testing

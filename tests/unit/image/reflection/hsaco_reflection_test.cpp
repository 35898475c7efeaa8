// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMD's machine code tells, alone and in offload bundles, and MessagePack, in which it does.
#include "image/reflection/amd/hsaco_reflection.h"

#include "image/reflection/amd/msgpack_reader.h"
#include "image/reflection/amd/offload_bundle.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Bytes AsBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(HsacoReflection, ReadsCodeObjectsOfClang) {
  for (const auto& [name, target, version, wavefront] :
       {std::tuple("clang19_gfx90a_v4.hsaco", "gfx90a", "4", 64u),
        {"clang19_gfx90a_features_v5.hsaco", "gfx90a:sramecc+:xnack-", "5", 64u},
        {"clang19_gfx1100_v5.hsaco", "gfx1100", "5", 32u}}) {
    SCOPED_TRACE(name);
    const ReflectedImage image = ReflectFile("hsaco", name);
    EXPECT_EQ(image.target, target);
    EXPECT_EQ(std::string(image.producer.c_str()), std::string("code object version ") + version);
    ASSERT_THAT(image.kernels, SizeIs(4));
    const ReflectedKernel& saxpy = KernelOf(image, "saxpy");
    EXPECT_EQ(ParametersText(saxpy), "c4@0 r:b0 b1 c4@4");  // without the hidden arguments
    EXPECT_EQ(saxpy.subgroup_size, wavefront);
    EXPECT_FALSE(saxpy.is_workgroup_size_known);
    const ReflectedKernel& reverse = KernelOf(image, "reverse");
    EXPECT_EQ(ParametersText(reverse), "c8@0 c8@8 c1@16 b0");
    EXPECT_EQ(WorkgroupText(reverse), "128,2,1");
    EXPECT_TRUE(reverse.is_workgroup_size_exact);
    EXPECT_FALSE(saxpy.is_workgroup_size_exact);
    EXPECT_EQ(reverse.max_workgroup_volume, 256u);
    EXPECT_EQ(reverse.local_memory_size, 512u);
    EXPECT_EQ(KernelOf(image, "scratch").obstacle, "argument 1 is of the kind 'dynamic_shared_pointer'");
  }
}

TEST(HsacoReflection, RefusesOtherMachines) {
  EXPECT_THAT(Refusal("hsaco", ReadReflectionImage("nvcc13_sm_75.cubin"), HAL_STATUS_INCOMPATIBLE),
              HasSubstr("machine 190, not for AMD GPUs (224)"));
}

TEST(HsacoReflection, SurvivesDamage) {
  ExpectSurvivesDamage("hsaco", ReadReflectionImage("clang19_gfx1100_v5.hsaco"));
}

// A program header for each of many segments that are the same: reading all of them would take for ever.
TEST(HsacoReflection, RefusesNotesThatOverlap) {
  const auto put = [](ReflectionImage& image, size_t at, uint64_t number, size_t size) {
    std::memcpy(&image[at], &number, size);
  };
  ReflectionImage image = ReadReflectionImage("clang19_gfx1100_v5.hsaco");
  constexpr size_t kHeaders = 100;
  constexpr size_t kHeaderSize = 56;
  const size_t notes = image.size();
  image.resize(notes + 1200);  // a hundred notes without anything
  const size_t table = image.size();
  image.resize(table + kHeaders * kHeaderSize);
  for (size_t i = 0; i < kHeaders; ++i) {
    put(image, table + i * kHeaderSize, 4, 4);          // PT_NOTE
    put(image, table + i * kHeaderSize + 8, notes, 8);  // p_offset
    put(image, table + i * kHeaderSize + 32, 1200, 8);  // p_filesz
  }
  put(image, 32, table, 8);     // e_phoff
  put(image, 56, kHeaders, 2);  // e_phnum
  EXPECT_THAT(Refusal("hsaco", image, HAL_STATUS_DATA_LOSS), HasSubstr("its segment overlaps another one"));
}

// {"amdhsa.version": [1, 2], "amdhsa.kernels": [KERNEL]}
std::string RefusedKernel(const std::string& kernel) {
  const std::string metadata =
      "\x82\xae"
      "amdhsa.version\x92\x01\x02\xae"
      "amdhsa.kernels\x91" +
      kernel;
  ReflectedImage image;
  EXPECT_EQ(Publish(ReflectHsacoMetadata(AsBytes(metadata), &image)), HAL_STATUS_DATA_LOSS);
  return std::string(LastErrorMessage());
}

TEST(HsacoReflection, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(RefusedKernel("\x80"), "amdhsa.kernels[0]: the name of a kernel: is empty");
  EXPECT_EQ(RefusedKernel("\x81\xa5.name\x07"), "amdhsa.kernels[0]: .name: byte 42 is a number, not a text");
  EXPECT_EQ(RefusedKernel("\x81\xb4.reqd_workgroup_size\x92\x01\x01"),
            "amdhsa.kernels[0]: .reqd_workgroup_size: it has 2 numbers, not 3");
  EXPECT_EQ(RefusedKernel("\x82\xa5.name\xa1"
                          "f\xa5.args\x91\x81\xa5.size\x08"),
            "amdhsa.kernels[0]: .args[0]: .offset 0 + .size 8 overlaps the one before or exceeds "
            ".kernarg_segment_size, which is 0");
  EXPECT_THAT(RefusedKernel("\x81\xa5.args\xdd\xff\xff\xff\xff"), HasSubstr("an array of 4294967295 elements"));
  EXPECT_THAT(RefusedKernel(""), HasSubstr("amdhsa.kernels: msgpack: an array of 1 elements"));
}

std::string Packed(std::string_view text) {  // of at most 255 bytes
  return std::string("\xd9") + static_cast<char>(text.size()) + std::string(text);
}

// {"amdhsa.target": TARGET, "amdhsa.kernels": [{".name": NAME, ".kernarg_segment_size": 64, ".args": [ARGUMENTS]}]}
Status ReadMadeUp(std::string_view target, std::string_view name, const std::vector<std::string>& arguments,
                  ReflectedImage* out_image) {
  std::string metadata = "\x82" + Packed("amdhsa.target") + Packed(target) + Packed("amdhsa.kernels") + "\x91\x83" +
                         Packed(".name") + Packed(name) + Packed(".kernarg_segment_size") + "\x40" + Packed(".args") +
                         static_cast<char>(0x90 + arguments.size());
  for (const std::string& argument : arguments) metadata += argument;
  return ReflectHsacoMetadata(AsBytes(metadata), out_image);
}

std::string Argument(int offset, int size, std::string_view kind, std::string_view name, std::string_view type) {
  return "\x85" + Packed(".offset") + static_cast<char>(offset) + Packed(".size") + static_cast<char>(size) +
         Packed(".value_kind") + Packed(kind) + Packed(".name") + Packed(name) + Packed(".type_name") + Packed(type);
}

TEST(HsacoReflection, ReadsTargetsAsOldAndNewLlvmSpellThem) {
  for (const auto& [spelled, target] :
       {std::pair("amdgcn-amd-amdhsa--gfx942", "gfx942"),
        {"amdgpu9.42-amd-amdhsa-unknown-gfx942", "gfx942"},
        {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"},
        {"amdgpu9.0a-amd-amdhsa-unknown-gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"},
        {"amdgpu11.00-amd-amdhsa-unknown-gfx1100", "gfx1100"},
        {"amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"},
        {"amdgcn-amd-amdhsa-unknown-gfx1201", "gfx1201"}}) {
    ReflectedImage image;
    EXPECT_EQ(ReadMadeUp(spelled, "f", {}, &image), kOk) << spelled << ": " << LastErrorMessage();
    EXPECT_EQ(image.target, target) << spelled;
  }
}

TEST(HsacoReflection, RefusesTargetsOfOtherKinds) {
  for (const char* const spelled :
       {"", "gfx942", "--gfx942", "amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa--gfx", "amdgcn-amd-amdhsa--sm_90",
        "amdgcn-amd-amdpal--gfx942", "amdgcn-nv-amdhsa--gfx942", "amdgpu9.42-amd-amdhsa-linux-gfx942",
        "amdgpu9.42+-amd-amdhsa-unknown-gfx942", "amdgpu9.42-gfx942", "x-amdgcn-amd-amdhsa--gfx942",
        "amdgcn-amd-amdhsa--gfx942-and-a-name-that-is-too-long-for-the-target-of-an-executable-file"}) {
    ReflectedImage image;
    EXPECT_EQ(Publish(ReadMadeUp(spelled, "f", {}, &image)), HAL_STATUS_DATA_LOSS) << spelled;
    EXPECT_THAT(LastErrorMessage(), HasSubstr("does not name a processor as amdgcn-amd-amdhsa--gfx90a or "
                                              "amdgpu9.0a-amd-amdhsa-unknown-gfx90a do"));
  }
}

TEST(HsacoReflection, TellsNamesAndTypes) {
  ReflectedImage image;
  ASSERT_EQ(ReadMadeUp("amdgcn-amd-amdhsa--gfx942", "f",
                       {Argument(0, 8, "global_buffer", "x", "float4*"), Argument(8, 8, "by_value", "n", "ulong"),
                        Argument(16, 4, "by_value", "\xff", "int*"), Argument(24, 8, "global_buffer", "", "float"),
                        Argument(32, 4, "hidden_dynamic_lds_size", "", "")},
                       &image),
            kOk)
      << LastErrorMessage();
  const ReflectedKernel kernel = KernelOf(image, "f");
  ASSERT_THAT(kernel.parameters, SizeIs(4));
  EXPECT_EQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[0].element_type, HAL_ELEMENT_TYPE_F32);
  EXPECT_EQ(kernel.parameters[1].name, "n");
  EXPECT_EQ(kernel.parameters[1].element_type, HAL_ELEMENT_TYPE_UI64);
  EXPECT_EQ(kernel.parameters[2].name, "") << "no text";
  EXPECT_EQ(kernel.parameters[2].element_type, HAL_ELEMENT_TYPE_NONE) << "an address is no value";
  EXPECT_EQ(kernel.parameters[3].element_type, HAL_ELEMENT_TYPE_NONE);
  EXPECT_TRUE(kernel.uses_dynamic_local_memory);
  ASSERT_EQ(ReadMadeUp("amdgcn-amd-amdhsa--gfx942", "_Z1fPDhl",
                       {Argument(0, 8, "global_buffer", "", ""), Argument(8, 8, "by_value", "", "")}, &image),
            kOk);
  EXPECT_EQ(image.kernels[0].parameters[0].element_type, HAL_ELEMENT_TYPE_F16);
  EXPECT_EQ(image.kernels[0].parameters[1].element_type, HAL_ELEMENT_TYPE_SI64);
  EXPECT_FALSE(image.kernels[0].uses_dynamic_local_memory);
}

// The metadata tells sizes alone. A number has 8 bytes at most, and a class whose members the name tells is no riddle.
TEST(HsacoReflection, TakesStructuresForGuesses) {
  ReflectedImage image;
  const auto read = [&](std::string_view name, const std::vector<std::string>& arguments) {
    EXPECT_EQ(ReadMadeUp("amdgcn-amd-amdhsa--gfx942", name, arguments, &image), kOk) << LastErrorMessage();
    return ParametersText(KernelOf(image, name));
  };
  const std::string span = Argument(0, 16, "by_value", "", "");
  EXPECT_EQ(read("warp_scale", {Argument(0, 56, "by_value", "", ""), Argument(56, 4, "by_value", "", "")}),
            "c56@0? c4@56");
  EXPECT_EQ(read("cute_copy", {span, Argument(16, 24, "by_value", "", "")}), "c16@0? c24@16?");
  EXPECT_EQ(read("numbers", {Argument(0, 8, "by_value", "", ""), Argument(8, 4, "by_value", "", ""),
                             Argument(12, 12, "by_value", "", ""), Argument(24, 2, "by_value", "", "")}),
            "c8@0 c4@8 c12@12 c2@24");
  EXPECT_EQ(read("_Z1fSt4spanIfLm18446744073709551615EE", {span}), "c16@0?");
  EXPECT_EQ(read("_Z1fDv4_f", {span}), "c16@0") << "four floats";
}

TEST(MsgpackReader, ReadsEveryKindOfValue) {
  constexpr char kBytes[] =
      "\xc0\xc3\x05\xff\xcc\xfe\xcd\x01\x02\xd0\x80\xd1\x01\x00\xca\x00\x00\x00\x00\xa2hi\xd9\x02ho\xc4\x01x\x91\x01"
      "\x81"
      "\x01\x02";
  const std::string bytes(kBytes, sizeof(kBytes) - 1);
  MsgpackReader reader(AsBytes(bytes));
  const auto next = [&] {
    MsgpackValue value;
    EXPECT_EQ(reader.Next(&value), kOk) << LastErrorMessage();
    return value;
  };
  EXPECT_EQ(next().kind, MsgpackKind::kNil);
  EXPECT_EQ(next().number, 1u);
  EXPECT_EQ(next().number, 5u);
  const MsgpackValue minus_one = next();
  EXPECT_EQ(minus_one.kind, MsgpackKind::kInt);
  EXPECT_EQ(static_cast<int64_t>(minus_one.number), -1);
  EXPECT_EQ(next().number, 254u);
  EXPECT_EQ(next().number, 258u);
  EXPECT_EQ(static_cast<int64_t>(next().number), -128);
  const MsgpackValue positive = next();  // a signed type, but not negative
  EXPECT_EQ(positive.kind, MsgpackKind::kUint);
  EXPECT_EQ(positive.number, 256u);
  EXPECT_EQ(next().kind, MsgpackKind::kFloat);
  EXPECT_EQ(next().text, "hi");
  EXPECT_EQ(next().text, "ho");
  EXPECT_EQ(next().kind, MsgpackKind::kBytes);
  EXPECT_EQ(next().count, 1u);
  EXPECT_EQ(next().number, 1u);
  const MsgpackValue map = next();
  EXPECT_EQ(map.kind, MsgpackKind::kMap);
  EXPECT_EQ(map.count, 1u);
}

TEST(MsgpackReader, SkipsDeepNestingWithoutRecursion) {
  std::string deep(size_t{1} << 20, '\x91');
  deep += '\xc0';
  MsgpackReader reader(AsBytes(deep));
  EXPECT_EQ(reader.Skip(), kOk);
  EXPECT_EQ(reader.Offset(), deep.size());
  deep.pop_back();
  MsgpackReader cut(AsBytes(deep));
  EXPECT_EQ(Publish(cut.Skip()), HAL_STATUS_DATA_LOSS);
}

TEST(OffloadBundle, ListsItsEntries) {
  const ReflectionImage image = ReadReflectionImage("clang19.hipfb");
  OffloadBundle bundle;
  ASSERT_EQ(ReadOffloadBundle(image, &bundle), kOk) << LastErrorMessage();
  const auto& entries = bundle.entries;
  ASSERT_THAT(entries, SizeIs(4));
  EXPECT_EQ(entries[0].target, "");
  EXPECT_EQ(entries[0].id, "host-x86_64-unknown-linux--");
  EXPECT_EQ(entries[1].target, "gfx1100");
  EXPECT_EQ(entries[2].target, "gfx90a");
  EXPECT_EQ(entries[3].target, "gfx942");
  for (size_t i = 1; i < entries.size(); ++i) {
    ReflectedImage code;
    ASSERT_EQ(ReflectHsaco(entries[i].contents, &code), kOk) << LastErrorMessage();
    EXPECT_EQ(code.target, entries[i].target);
  }
}

TEST(OffloadBundle, TellsWhatItsFirstCodeObjectTells) {
  EXPECT_EQ(ParametersText(KernelOf(ReflectFile("hsaco", "clang19.hipfb"), "saxpy")), "c4@0 b0 b1 c4@4");
}

TEST(OffloadBundle, ReadsIdsAsOldAndNewLlvmSpellThem) {
  const auto number = [](uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof(value)); };
  for (const auto& [id, target] : {std::pair("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a:xnack-"),
                                   {"hip-amdgcn-amd-amdhsa-gfx906", "gfx906"},
                                   {"hipv4-amdgpu9.42-amd-amdhsa-unknown-gfx942", "gfx942"},
                                   {"host-x86_64-unknown-linux-gnu-", ""},
                                   {"hipv4-amdgpu9.42-amd-amdhsa-unknown-sm_90", ""}}) {
    const std::string bundle =
        "__CLANG_OFFLOAD_BUNDLE__" + number(1) + number(0) + number(0) + number(std::string_view(id).size()) + id;
    OffloadBundle read;
    ASSERT_EQ(ReadOffloadBundle(AsBytes(bundle), &read), kOk) << LastErrorMessage();
    EXPECT_EQ(read.entries.at(0).target, target) << id;
  }
}

TEST(OffloadBundle, NamesTheFieldThatIsWrong) {
  ReflectionImage image = ReadReflectionImage("clang19.hipfb");
  EXPECT_THAT(Refusal("hsaco", std::span(image).first(30), HAL_STATUS_DATA_LOSS), HasSubstr("no offload bundle"));
  EXPECT_THAT(Refusal("hsaco", std::span(image).first(40), HAL_STATUS_DATA_LOSS), HasSubstr("entry 0: its header"));
  image[24 + 4] = std::byte{1};
  EXPECT_THAT(Refusal("hsaco", image, HAL_STATUS_DATA_LOSS), HasSubstr("there are 4294967300 entries"));
}

TEST(OffloadBundle, SurvivesDamage) { ExpectSurvivesDamage("hsaco", ReadReflectionImage("clang19.hipfb")); }

}  // namespace
}  // namespace halyard::testing

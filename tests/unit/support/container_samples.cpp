// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "container_samples.h"

#include <cstring>

#include "image/halx/container_writer.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"

namespace halyard::testing {
namespace {

std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

ContainerExport ScaleExport() {
  ContainerExport info;
  info.name = "scale";
  info.workgroup_size = {64, 2, 1};
  info.local_memory_size = 256;
  info.constants_size = 16;
  info.parameters = {hal_parameter_constant(0, 4), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                     hal_parameter_binding(3, HAL_BINDING_ACCESS_WRITE), hal_parameter_constant(8, 8)};
  info.parameters[2].set = 1;
  return info;
}

void ExpectSameTypes(std::span<const hal_value_type_t> a, std::span<const hal_value_type_t> b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(TypeText(a[i]), TypeText(b[i]));
    EXPECT_EQ(a[i].role, b[i].role);
    EXPECT_EQ(a[i].access, b[i].access);
    EXPECT_EQ(a[i].ownership, b[i].ownership);
  }
}

void ExpectSame(const OwnedSignature& a, const OwnedSignature& b) {
  ASSERT_EQ(a.Get() == nullptr, b.Get() == nullptr);
  if (!a.Get()) return;
  EXPECT_EQ(a.Get()->convention, b.Get()->convention);
  ExpectSameTypes(ArgumentsOf(*a.Get()), ArgumentsOf(*b.Get()));
  ExpectSameTypes(ResultsOf(*a.Get()), ResultsOf(*b.Get()));
}

uint64_t SumOf(std::span<const hal_value_type_t> types) {
  uint64_t sum = types.size();
  for (const hal_value_type_t& type : types) {
    sum += type.element_type + static_cast<uint64_t>(type.offset);
    for (uint32_t i = 0; i < type.rank; ++i) sum += static_cast<uint64_t>(type.sizes[i]);
    for (uint32_t i = 0; i < type.rank && type.strides; ++i) sum += static_cast<uint64_t>(type.strides[i]);
  }
  return sum;
}

void ExpectSame(const HostVector<hal_parameter_t>& a, const HostVector<hal_parameter_t>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::memcmp(&a[i], &b[i], sizeof(hal_parameter_t)), 0) << "parameter " << i;
  }
}

void ExpectSame(const HostVector<hal_tensor_map_t>& a, const HostVector<hal_tensor_map_t>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::memcmp(&a[i], &b[i], sizeof(hal_tensor_map_t)), 0) << "tensor map " << i;
  }
}

void ExpectSame(const ContainerExport& a, const ContainerExport& b) {
  ExpectSame(a.signature, b.signature);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(std::memcmp(&a.workgroup_size, &b.workgroup_size, sizeof(a.workgroup_size)), 0);
  EXPECT_EQ(a.local_memory_size, b.local_memory_size);
  EXPECT_EQ(a.constants_size, b.constants_size);
  ExpectSame(a.parameters, b.parameters);
  ExpectSame(a.tensor_maps, b.tensor_maps);
  ASSERT_EQ(a.infos.size(), b.infos.size());
  for (size_t i = 0; i < a.infos.size(); ++i) {
    EXPECT_EQ(View(a.infos[i].name), View(b.infos[i].name));
    EXPECT_EQ(a.infos[i].element_type, b.infos[i].element_type);
    EXPECT_EQ(a.infos[i].flags, b.infos[i].flags);
  }
}

void ExpectSameSize(const hal_dim3_t& a, const hal_dim3_t& b) { EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0); }

void ExpectSame(const ContainerEntryPoint& a, const ContainerEntryPoint& b) {
  EXPECT_EQ(a.ordinal, b.ordinal);
  EXPECT_EQ(a.symbol, b.symbol);
  EXPECT_EQ(a.launch.flags, b.launch.flags);
  ExpectSameSize(a.launch.workgroup_size, b.launch.workgroup_size);
  ExpectSameSize(a.launch.cluster_size, b.launch.cluster_size);
  EXPECT_EQ(a.launch.dynamic_local_memory_size, b.launch.dynamic_local_memory_size);
  EXPECT_EQ(a.launch.subgroup_size, b.launch.subgroup_size);
  EXPECT_EQ(a.launch.register_count, b.launch.register_count);
  ExpectSameSize(a.launch.fixed_sides, b.launch.fixed_sides);
  EXPECT_EQ(a.launch.min_subgroup_size, b.launch.min_subgroup_size);
  EXPECT_EQ(a.launch.max_subgroup_size, b.launch.max_subgroup_size);
  EXPECT_EQ(a.launch.max_workgroup_volume, b.launch.max_workgroup_volume);
  ExpectSameSize(a.launch.side_constants, b.launch.side_constants);
  ExpectSame(a.parameters, b.parameters);
  ExpectSame(a.tensor_maps, b.tensor_maps);
}

void ExpectSame(const ContainerVariant& a, const ContainerVariant& b) {
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.isa_version, b.isa_version);
  ASSERT_EQ(a.entry_points.size(), b.entry_points.size());
  for (size_t i = 0; i < a.entry_points.size(); ++i) ExpectSame(a.entry_points[i], b.entry_points[i]);
  ASSERT_EQ(a.image.size(), b.image.size());
  EXPECT_EQ(std::memcmp(a.image.data(), b.image.data(), a.image.size()), 0);
}

uint64_t Sum(std::string_view text) {
  uint64_t sum = text.size();
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return sum;
}

}  // namespace

ContainerContents SampleContents() {
  ContainerContents contents;
  contents.exports.resize(2);
  contents.exports[0] = ScaleExport();
  contents.exports[1].name = "füllen";
  contents.exports[1].workgroup_size = {0, 1, 1};
  contents.variants.resize(3);
  contents.variants[0] = {"host-shared-object", "x86_64", EntryPointsOf({"", "fill_kernel"}), BytesOf(kHostImage)};
  contents.variants[1] = {"ptx", "sm_80", EntryPointsOf({"_Z5scalefPfS_", ""}), BytesOf(kDeviceImage)};
  contents.variants[2] = {"spirv", "", EntryPointsOf({"", ""}), BytesOf(kDeviceImage)};
  return contents;
}

FileBytes SampleFile(const ContainerContents& contents) {
  FileBytes file;
  EXPECT_EQ(SerializeContainer(contents, &file), kOk) << LastErrorMessage();
  return file;
}

std::span<std::byte> MetadataOf(FileBytes& file) {
  uint32_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  return std::span(file).first(kSizePrefixSize + size);
}

void Rehash(FileBytes& file) {
  const auto flatbuffer = MetadataOf(file);
  FileBytes hashed(flatbuffer.begin(), flatbuffer.end());
  AppendMetadataHash(&hashed);
  std::copy(hashed.begin(), hashed.end(), file.begin());
}

FileBytes LyingFile(const ContainerContents& contents, std::span<const ImagePlace> places, size_t tail,
                    uint64_t file_size) {
  FileBytes file;
  const uint64_t true_size = kImageAlignment + tail;
  EXPECT_EQ(EncodeMetadata(contents, places, file_size ? file_size : true_size, &file), kOk) << LastErrorMessage();
  AppendMetadataHash(&file);
  EXPECT_LE(file.size(), kImageAlignment);
  file.resize(true_size);
  return file;
}

size_t MetadataPatch::Slot(size_t table, unsigned index) const {
  const size_t vtable = table - static_cast<size_t>(static_cast<int32_t>(Number(table)));
  return vtable + 4 + 2 * index;
}

size_t MetadataPatch::Field(size_t table, unsigned index) const {
  uint16_t offset = 0;
  std::memcpy(&offset, &bytes_[Slot(table, index)], sizeof(offset));
  return offset == 0 ? 0 : table + offset;
}

void MetadataPatch::Remove(size_t table, unsigned index) { std::memset(&bytes_[Slot(table, index)], 0, 2); }

uint32_t MetadataPatch::Number(size_t offset) const {
  uint32_t number = 0;
  std::memcpy(&number, &bytes_[offset], sizeof(number));
  return number;
}

void MetadataPatch::SetNumber(size_t offset, uint32_t number) { std::memcpy(&bytes_[offset], &number, sizeof(number)); }

::testing::AssertionResult Refuses(std::span<const std::byte> file, hal_status_t status, const std::string& text) {
  Container container;
  const Failure got(container.Parse(file));
  const std::string message(got.message());
  if (!container.contents().exports.empty()) return ::testing::AssertionFailure() << "the container is not empty";
  if (got.code() == status && message.find(text) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "status " << got.code() << ", message: " << (got ? message : "none");
}

void ExpectSame(const ContainerContents& a, const ContainerContents& b) {
  ASSERT_EQ(a.exports.size(), b.exports.size());
  for (size_t i = 0; i < a.exports.size(); ++i) ExpectSame(a.exports[i], b.exports[i]);
  ASSERT_EQ(a.variants.size(), b.variants.size());
  for (size_t i = 0; i < a.variants.size(); ++i) ExpectSame(a.variants[i], b.variants[i]);
}

uint64_t Touch(const Container& container) {
  uint64_t sum = container.version();
  for (const ContainerExport& info : container.contents().exports) {
    sum += Sum(info.name);
    if (const hal_function_signature_t* signature = info.signature.Get()) {
      sum += SumOf(ArgumentsOf(*signature)) + SumOf(ResultsOf(*signature));
    }
    for (const hal_parameter_t& parameter : info.parameters) sum += parameter.offset + parameter.access;
  }
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    const ContainerVariant& variant = container.contents().variants[i];
    sum += Sum(variant.format) + Sum(variant.target) + container.Place(i).offset;
    for (const ContainerEntryPoint& one : variant.entry_points) sum += Sum(one.symbol) + one.parameters.size();
    for (const std::byte byte : variant.image) sum += static_cast<uint64_t>(byte);
  }
  return sum;
}

}  // namespace halyard::testing

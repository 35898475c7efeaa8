// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to one of the readers that tell what an image exports: HALYARD_FUZZED_READER names it. What it accepts
// must be what the library may trust: names that are texts and unique, constants inside their size, each binding once.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/text_checks.h"
#include "image/halx/container_contents.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "image/reflection/amd/msgpack_reader.h"
#include "image/reflection/amd/offload_bundle.h"
#include "image/reflection/host_reflection.h"
#include "image/reflection/names/mangled_parameters.h"
#include "image/reflection/nvidia/cubin_reflection.h"
#include "image/reflection/nvidia/fatbin.h"
#include "image/reflection/nvidia/ptx_reflection.h"
#include "image/reflection/spirv/spirv_reflection.h"
#include "spirv_part.h"

namespace halyard {
namespace {

/// Ends the run: libFuzzer keeps the input.
void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckFailure(Status status) {
  const Failure failure(status);
  const hal_status_t code = failure.code();
  Require(code == HAL_STATUS_DATA_LOSS || code == HAL_STATUS_INCOMPATIBLE || code == HAL_STATUS_NOT_FOUND ||
          code == HAL_STATUS_UNIMPLEMENTED);  // what unpacks a compressed bundle is not there
  Require(!failure.message().empty());
}

bool IsName(std::string_view name) {
  return name.empty() || Succeeds(CheckText(HAL_STATUS_INTERNAL, "name", name, ContainerLimits::kNameSize));
}

void CheckKernel(const ReflectedKernel& kernel) {
  Require(kernel.obstacle.empty() || !kernel.obstacle.starts_with(' '));
  const hal_dim3_t& cluster = kernel.cluster_size;
  Require((cluster.x == 0) == (cluster.y == 0) && (cluster.x == 0) == (cluster.z == 0));
  Require(!kernel.is_workgroup_size_exact || kernel.workgroup_size.x > 0);
  Require(Succeeds(CheckText(HAL_STATUS_INTERNAL, "name", kernel.name, ContainerLimits::kNameSize)));
  Require(kernel.parameters.size() <= ContainerLimits::kParameters);
  Require(kernel.constants_size <= ContainerLimits::kConstantsSize);
  Require(kernel.local_memory_size <= ContainerLimits::kLocalMemorySize);
  std::set<std::pair<uint32_t, uint32_t>> bindings;
  for (const ReflectedParameter& parameter : kernel.parameters) {
    const hal_parameter_t& value = parameter.value;
    Require(IsName(parameter.name));
    if (value.kind == HAL_PARAMETER_KIND_BINDING) {
      Require(value.offset == 0 && value.size == 0 && value.set < ContainerLimits::kSets);
      bindings.emplace(value.set, value.binding);
    } else {
      Require(value.kind == HAL_PARAMETER_KIND_CONSTANT && value.size > 0);
      Require(uint64_t{value.offset} + value.size <= kernel.constants_size);
    }
  }
}

void CheckImage(const ReflectedImage& image) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < image.constants.size(); ++i) {
    Require(IsName(image.constants[i].name) && (i == 0 || image.constants[i - 1].id < image.constants[i].id));
  }
  for (const ReflectedKernel& kernel : image.kernels) {
    CheckKernel(kernel);
    Require(names.insert(kernel.name).second);
  }
  Require(ExportsOf(image, "ptx").list.size() <= image.kernels.size());
}

template <class ReadImage>
void Try(ReadImage&& read) {
  ReflectedImage image;
  const Status status = read(&image);
  if (status == kOk) return CheckImage(image);
  CheckFailure(status);
  Require(image.kernels.empty());
}

[[maybe_unused]] void ReadPtx(Bytes input) {
  Try([&](ReflectedImage* image) { return ReflectPtx(AsText(input), image); });
}

[[maybe_unused]] void ReadCubin(Bytes input) {
  Try([&](ReflectedImage* image) { return ReflectCubin(input, image); });
}

[[maybe_unused]] void ReadHsaco(Bytes input) {
  Try([&](ReflectedImage* image) { return ReflectHsaco(input, image); });
  Try([&](ReflectedImage* image) { return ReflectHsacoMetadata(input, image); });
  Try([&](ReflectedImage* image) { return CheckHsaco(input, image); });
}

/// A name in each line.
[[maybe_unused]] void ReadMangledNames(Bytes input) {
  std::string_view text = AsText(input);
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    HostVector<MangledParameter> parameters;
    const bool tells = ReadMangledParameters(name, &parameters);
    Require(tells ? name.starts_with("_Z") && parameters.size() <= ContainerLimits::kParameters : parameters.empty());
    for (const MangledParameter& parameter : parameters) {
      Require(parameter.kind == MangledKind::kNumber || parameter.size == 0);
      Require(parameter.size <= 16);
    }
  }
}

[[maybe_unused]] void ReadHost(Bytes input) {
  Try([&](ReflectedImage* image) { return ReflectHost(input, image); });
  Try([&](ReflectedImage* image) { return ReflectHostRecords(input, image); });
}

bool Contains(Bytes outer, Bytes inner) {
  return inner.empty() || (inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size());
}

[[maybe_unused]] void ReadFatbinEntries(Bytes input) {
  HostVector<FatbinEntry> entries;
  const Status status = ReadFatbin(input, &entries);
  if (status != kOk) CheckFailure(status);
  for (const FatbinEntry& entry : entries) Require(Contains(input, entry.contents));
  Try([&](ReflectedImage* image) { return ReflectFatbin(input, image); });
}

[[maybe_unused]] void ReadBundle(Bytes input) {
  OffloadBundle bundle;
  const Status status = ReadOffloadBundle(input, &bundle);
  if (status != kOk) CheckFailure(status);
  const Bytes outer = bundle.unpacked.empty() ? input : Bytes(bundle.unpacked);
  for (const OffloadBundleEntry& entry : bundle.entries) Require(Contains(outer, entry.contents));
  Try([&](ReflectedImage* image) { return ReflectOffloadBundle(input, image); });
}

/// Skipping a value and reading all that it holds must end at the same place.
[[maybe_unused]] void ReadMsgpack(Bytes input) {
  MsgpackReader values(input);
  MsgpackReader wholes(input);
  while (values.Offset() < input.size()) {
    const Status status = wholes.Skip();
    uint64_t left = 1;
    for (; left > 0; --left) {
      MsgpackValue value;
      if (!Succeeds(values.Next(&value))) break;
      Require(Contains(input, std::as_bytes(std::span(value.text))));
      Require(value.count <= input.size());
      left += value.kind == MsgpackKind::kMap ? 2 * uint64_t{value.count} : value.count;
    }
    Require((status == kOk) == (left == 0));
    if (status != kOk) return CheckFailure(status);
    Require(values.Offset() == wholes.Offset());
  }
}

HostVector<uint32_t> WordsOf(Bytes input) {
  HostVector<uint32_t> words(input.size() / sizeof(uint32_t));
  std::memcpy(words.data(), input.data(), words.size() * sizeof(uint32_t));
  return words;
}

/// A variant differs in nothing except the size of one kernel.
void CheckVariant(const HostVector<uint32_t>& words, const SpirvImage& image, size_t ordinal) {
  const SpirvKernel& kernel = image.kernels[ordinal];
  HostVector<uint32_t> variant;
  const bool is_made = Succeeds(MakeSpirvVariant(words, kernel, {3, 5, 7}, &variant));
  Require(is_made == (kernel.size_source == SpirvSizeSource::kLocalSize));
  if (!is_made) return;
  SpirvImage changed;
  Require(Succeeds(ReadSpirv(std::as_bytes(std::span(variant)), &changed)));
  Require(changed.kernels.size() == image.kernels.size() && changed.kernels[ordinal].workgroup_size.y == 5);
  Require(Succeeds(MakeSpirvVariant(variant, changed.kernels[ordinal], kernel.workgroup_size, &variant)));
  Require(variant == words);
}

/// What is left of a module is smaller, and read or refused. It tells the same of the kernel if ids name what they
/// should, which no reader checks.
void CheckExtraction(const HostVector<uint32_t>& words, const SpirvKernel& kernel) {
  HostVector<uint32_t> alone;
  Require(Succeeds(testing::ExtractSpirvKernel(words, kernel.name, &alone)) && alone.size() <= words.size());
  SpirvImage image;
  const Status status = ReadSpirv(std::as_bytes(std::span(alone)), &image);
  if (status != kOk) return CheckFailure(status);
  Require(image.kernels.front().name == kernel.name || alone == words);
}

[[maybe_unused]] void ReadSpirvWords(Bytes input) {
  Try([&](ReflectedImage* image) { return ReflectSpirv(input, {}, image); });
  ReflectedImage reflected;
  if (!Succeeds(ReflectSpirv(input, {}, &reflected))) return;  // two kernels may have one name
  SpirvImage image;
  Require(Succeeds(ReadSpirv(input, &image)));
  const HostVector<uint32_t> words = WordsOf(input);
  for (size_t i = 0; i < image.kernels.size(); ++i) {
    const SpirvKernel& kernel = image.kernels[i];
    std::pair<int64_t, int64_t> before = {-1, -1};
    for (const SpirvBinding& binding : kernel.bindings) {
      Require(before < std::pair<int64_t, int64_t>(binding.set, binding.binding));
      before = {binding.set, binding.binding};
    }
    for (const SpirvPushConstant& constant : kernel.push_constants) {
      Require(uint64_t{constant.offset} + constant.size <= kernel.constants_size);
    }
    CheckVariant(words, image, i);
    CheckExtraction(words, kernel);
  }
}

}  // namespace
}  // namespace halyard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halyard::HALYARD_FUZZED_READER(std::as_bytes(std::span(data, size)));
  return 0;
}

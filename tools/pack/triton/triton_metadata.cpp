// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_metadata.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "image/halx/container_contents.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kMostWorkItems = 1024;  // of a workgroup, on every device that Triton compiles for
constexpr uint32_t kMostCtas = 16;
constexpr uint32_t kMostTensorRank = 5;
constexpr uint32_t kMostBoxSize = 256;
constexpr uint32_t kMostDataType = 15;
constexpr uint32_t kMostSwizzle = 3;

/// Reads the members of one document. Members that it does not know are options of one version or of the user.
class MetadataReader {
 public:
  explicit MetadataReader(const Json& document) : document_(document, "") {}

  TritonMetadata Read() {
    ReadName();
    ReadTarget();
    ReadWorkgroup();
    ReadCluster();
    metadata_.local_memory_size = Number(document_.At("shared"), 0, ContainerLimits::kLocalMemorySize);
    metadata_.is_cooperative = Flag(document_, "launch_cooperative_grid");
    metadata_.is_programmatic = Flag(document_, "launch_pdl");
    metadata_.global_scratch = ReadScratch("global_scratch_size", "global_scratch_align");
    metadata_.profile_scratch = ReadScratch("profile_scratch_size", "profile_scratch_align");
    ReadTensorMaps();
    CheckInstrumentation();
    return std::move(metadata_);
  }

 private:
  // Whether a member is there: Triton writes null for options that were left alone.
  static bool IsGiven(const JsonValue& object, std::string_view key) {
    return object.Has(key) && !object.At(key).IsNull();
  }

  static bool Flag(const JsonValue& object, std::string_view key) {
    return IsGiven(object, key) && object.At(key).Bool();
  }

  static uint32_t Number(const JsonValue& value, uint32_t least, uint32_t most) {
    const uint32_t number = value.Uint32();
    if (number < least || number > most) value.Fail(Concat("is ", number, "; it must be from ", least, " to ", most));
    return number;
  }

  void ReadName() {
    const JsonValue name = document_.At("name");
    metadata_.name = name.Text();
    const bool is_plain = std::ranges::all_of(metadata_.name, [](unsigned char c) { return c > ' ' && c != 0x7f; });
    if (metadata_.name.empty() || !is_plain) name.Fail(Concat("is '", metadata_.name, "', which is no kernel's name"));
    if (metadata_.name.size() > ContainerLimits::kNameSize) name.Fail("is longer than 65535 bytes");
    if (IsGiven(document_, "triton_version")) metadata_.version = document_.At("triton_version").Text();
  }

  void ReadTarget() {
    const JsonValue target = document_.At("target");
    const JsonValue backend = target.At("backend");
    constexpr std::string_view kBackends[] = {"cuda", "hip"};
    const std::string name = backend.Text();
    if (name != "cuda" && name != "hip") backend.Fail(Concat("is '", name, "'; ", SuggestionText(name, kBackends)));
    metadata_.backend = name == "cuda" ? TritonBackend::kCuda : TritonBackend::kHip;
    if (IsGiven(document_, "backend_name") && document_.At("backend_name").Text() != name) {
      document_.At("backend_name")
          .Fail(Concat("is '", document_.At("backend_name").Text(), "', but target.backend is '", name, "'"));
    }
    name == "cuda" ? ReadCudaTarget(target) : ReadHipTarget(target);
  }

  void ReadCudaTarget(const JsonValue& target) {
    metadata_.architecture = Concat("sm_", Number(target.At("arch"), 50, 999));
    if (IsGiven(document_, "arch")) ReadChosenArchitecture();
    metadata_.subgroup_size = ReadSubgroupSize(target);
    if (metadata_.subgroup_size != 32) {
      target.At("warp_size").Fail(Concat("is ", metadata_.subgroup_size, "; on CUDA it is 32"));
    }
  }

  // "sm90": the user may have chosen another one than the device's, which then is what was compiled for.
  void ReadChosenArchitecture() {
    const JsonValue arch = document_.At("arch");
    const std::string text = arch.Text();
    const bool is_one = text.starts_with("sm") && text.size() > 2 && text.size() <= 6 && text[2] != '0' &&
                        ParseUint(text.substr(2, text.find_first_not_of("0123456789", 2) - 2)).has_value();
    if (!is_one) arch.Fail(Concat("is '", text, "'; on CUDA it is like 'sm90'"));
    metadata_.architecture = "sm_" + text.substr(2);
  }

  void ReadHipTarget(const JsonValue& target) {
    const JsonValue arch = IsGiven(document_, "arch") ? document_.At("arch") : target.At("arch");
    metadata_.architecture = arch.Text();
    if (!metadata_.architecture.starts_with("gfx") || metadata_.architecture.size() > ContainerLimits::kTokenSize) {
      arch.Fail(Concat("is '", metadata_.architecture, "'; on HIP it is like 'gfx942'"));
    }
    metadata_.subgroup_size = ReadSubgroupSize(target);
    if (metadata_.subgroup_size != 32 && metadata_.subgroup_size != 64) {
      target.At("warp_size").Fail(Concat("is ", metadata_.subgroup_size, "; on HIP it is 32 or 64"));
    }
  }

  uint32_t ReadSubgroupSize(const JsonValue& target) {
    const uint32_t size = target.At("warp_size").Uint32();
    if (IsGiven(document_, "warp_size") && document_.At("warp_size").Uint32() != size) {
      document_.At("warp_size")
          .Fail(Concat("is ", document_.At("warp_size").Uint32(), ", but target.warp_size is ", size));
    }
    return size;
  }

  void ReadWorkgroup() {
    const JsonValue warps = document_.At("num_warps");
    const uint32_t count = Number(warps, 1, kMostWorkItems);
    metadata_.workgroup_size = count * metadata_.subgroup_size;
    if (metadata_.workgroup_size <= kMostWorkItems) return;
    warps.Fail(Concat("is ", count, ", which makes workgroups of ", metadata_.workgroup_size, " work-items; at most ",
                      kMostWorkItems, " are possible"));
  }

  // Triton before 3.6 tells the three dimensions.
  void ReadCluster() {
    const uint32_t ctas = Number(document_.At("num_ctas"), 1, kMostCtas);
    metadata_.cluster_size = {ctas, 1, 1};
    if (!IsGiven(document_, "cluster_dims")) return;
    const JsonValue dims = document_.At("cluster_dims");
    const std::vector<JsonValue> sizes = dims.Array();
    if (sizes.size() != 3) dims.Fail(Concat("has ", sizes.size(), " numbers, not 3"));
    for (size_t i = 0; i < 3; ++i) metadata_.cluster_size[i] = Number(sizes[i], 1, kMostCtas);
    if (metadata_.WorkgroupsPerProgram() == ctas) return;
    dims.Fail(Concat("makes clusters of ", metadata_.WorkgroupsPerProgram(), " workgroups, but num_ctas is ", ctas));
  }

  TritonScratch ReadScratch(const char* size_key, const char* alignment_key) {
    TritonScratch scratch;
    if (!IsGiven(document_, size_key)) return scratch;
    scratch.size = document_.At(size_key).Uint32();
    if (!IsGiven(document_, alignment_key) && scratch.size == 0) return scratch;
    const JsonValue alignment = document_.At(alignment_key);
    scratch.alignment = alignment.Uint32();
    if (!std::has_single_bit(scratch.alignment)) {
      alignment.Fail(Concat("is ", scratch.alignment, ", which is no power of two"));
    }
    return scratch;
  }

  void ReadTensorMaps() {
    if (!IsGiven(document_, "tensordesc_meta")) return;
    const JsonValue list = document_.At("tensordesc_meta");
    for (const JsonValue& element : list.Array()) {
      if (metadata_.backend == TritonBackend::kHip)
        element.Fail("describes a tensor for AMD, which has no tensor maps here");
      metadata_.tensor_maps.push_back(ReadTensorMap(element));
    }
  }

  static TritonTensorMap ReadTensorMap(const JsonValue& object) {
    TritonTensorMap map;
    map.element_type = HostDataType(Number(object.At("elem_type"), 0, kMostDataType));
    map.element_size = Number(object.At("elem_size"), 1, 8);
    if (!std::has_single_bit(map.element_size)) {
      object.At("elem_size").Fail(Concat("is ", map.element_size, ", which is no power of two"));
    }
    map.swizzle = Number(object.At("swizzle"), 0, kMostSwizzle);
    const JsonValue box = object.At("block_size");
    for (const JsonValue& size : box.Array()) map.box.push_back(Number(size, 1, kMostBoxSize));
    if (map.box.empty() || map.box.size() > kMostTensorRank)
      box.Fail(Concat("has ", map.box.size(), " numbers, not 1 to 5"));
    map.is_fp4_padded = Flag(object, "fp4_padded");
    map.is_im2col = Flag(object, "is_im2col");
    return map;
  }

  // Triton writes the numbers that the device's instructions take, which order three types otherwise.
  static uint32_t HostDataType(uint32_t type) {
    switch (type) {
      case 8:
        return 10;  // FLOAT32_FTZ
      case 9:
        return 8;  // FLOAT64
      case 10:
        return 9;  // BFLOAT16
      default:
        return type;
    }
  }

  // The memory checker adds parameters that its own launcher alone can give.
  void CheckInstrumentation() {
    if (!IsGiven(document_, "instrumentation_mode")) return;
    const JsonValue mode = document_.At("instrumentation_mode");
    if (mode.Text().find("gsan") == std::string::npos) return;
    mode.Fail("has 'gsan', whose kernels take parameters that only Triton can give: compile without it");
  }

  JsonValue document_;
  TritonMetadata metadata_;
};

}  // namespace

TritonMetadata ReadTritonMetadata(const Json& document) { return MetadataReader(document).Read(); }

}  // namespace halyard::tools

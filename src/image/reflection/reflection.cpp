// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/reflection.h"

#include <algorithm>
#include <array>

#include "image/reflection/amd/hsaco_reflection.h"
#include "image/reflection/amd/offload_bundle.h"
#include "image/reflection/host_reflection.h"
#include "image/reflection/nvidia/cubin_reflection.h"
#include "image/reflection/nvidia/fatbin.h"
#include "image/reflection/nvidia/ptx_reflection.h"
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {
namespace {

using Specializations = std::span<const hal_specialization_t>;

struct Reader {
  std::string_view format;
  Status (*reflect)(Bytes image, Specializations specializations, ReflectedImage* out_image);
  bool takes_addresses = false;  // as ReflectedKernel has it
};

/// Of a format without specialisation constants.
template <Status (*kReflect)(Bytes image, ReflectedImage* out_image)>
Status Plain(Bytes image, Specializations /*specializations*/, ReflectedImage* out_image) {
  return kReflect(image, out_image);
}

Status ReflectPtxBytes(Bytes image, ReflectedImage* out_image) { return ReflectPtx(AsText(image), out_image); }

Status ReflectCuda(Bytes image, ReflectedImage* out_image) {
  return LooksLikeFatbin(image) ? ReflectFatbin(image, out_image) : ReflectCubin(image, out_image);
}

Status ReflectHip(Bytes image, ReflectedImage* out_image) {
  return LooksLikeOffloadBundle(image) ? ReflectOffloadBundle(image, out_image) : ReflectHsaco(image, out_image);
}

constexpr std::array kReaders = {Reader{"ptx", Plain<ReflectPtxBytes>, true},
                                 Reader{"cubin", Plain<ReflectCuda>, true},
                                 Reader{"fatbin", Plain<ReflectFatbin>, true},
                                 Reader{"hsaco", Plain<ReflectHip>, true},
                                 Reader{"spirv", ReflectSpirv},
                                 Reader{HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, Plain<ReflectHost>},
                                 Reader{HAL_EXECUTABLE_FORMAT_HOST_OBJECT, Plain<ReflectHost>}};

const Reader* FindReader(std::string_view format) {
  const auto* const found =
      std::find_if(kReaders.begin(), kReaders.end(), [&](const Reader& reader) { return reader.format == format; });
  return found == kReaders.end() ? nullptr : found;
}

}  // namespace

bool CanReflect(std::string_view format) { return FindReader(format) != nullptr; }

Status Reflect(std::string_view format, Bytes image, ReflectedImage* out_image,
               std::span<const hal_specialization_t> specializations) {
  if (const Reader* const reader = FindReader(format)) {
    HAL_TRY(reader->reflect(image, specializations, out_image));
    for (ReflectedKernel& kernel : out_image->kernels) kernel.takes_addresses = reader->takes_addresses;
    return kOk;
  }
  return Fail(HAL_STATUS_UNIMPLEMENTED, "images of the format '%.*s' do not tell what they export", HALYARD_SV(format));
}

}  // namespace halyard

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension "halyard.source_compiler" of a vendor's devices.
#ifndef HALYARD_STREAM_DEVICE_SOURCE_COMPILER_TABLE_H_
#define HALYARD_STREAM_DEVICE_SOURCE_COMPILER_TABLE_H_

#include "driver_kit/object/vtable.h"
#include "halyard/source_compiler.h"
#include "stream/device/stream_device.h"
#include "stream/native/runtime_compiler.h"

namespace halyard::stream {

/// The vendor's compiler, loaded when the first source comes.
/// @tparam Vendor  `static constexpr RuntimeCompilerNames kNames`
template <class Vendor>
class VendorCompiler : public RuntimeCompiler {
 public:
  static constexpr const char* kWhat = Vendor::kNames.what;
  static constexpr bool kWorksAfterFork = true;
  static Status Get(const VendorCompiler** out_compiler) { return LoadOnce(out_compiler); }
  Status Load() { return RuntimeCompiler::Load(Vendor::kNames); }
};

/// @tparam Vendor  also kSourceFormat and kImageFormat, and `HostVector<HostString> OwnOptions(compiler, api, params)`
template <class Vendor, class Api>
constexpr hal_source_compiler_interface_t MakeSourceCompilerTable() {
  return {sizeof(hal_source_compiler_interface_t),
          {Vendor::kSourceFormat, sizeof(Vendor::kSourceFormat) - 1},
          [](hal_device_t* device, hal_string_view_t source, const hal_compile_params_t* params,
             hal_compiled_fn_t compiled, void* user_data) noexcept {
            return Publish(Guard([&] {
              const VendorCompiler<Vendor>* compiler = nullptr;
              HAL_TRY(VendorCompiler<Vendor>::Get(&compiler));
              const auto& api = static_cast<const Api&>(static_cast<StreamDevice*>(device)->api());
              const HostVector<HostString> options = Vendor::OwnOptions(*compiler, api, *params);
              HostVector<std::byte> code;
              HAL_TRY(compiler->Compile(View(source), *params, options, &code));
              compiled(user_data, {Vendor::kImageFormat, sizeof(Vendor::kImageFormat) - 1}, code.data(), code.size());
              return kOk;
            }));
          }};
}

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_SOURCE_COMPILER_TABLE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One export, put together from what a description and the images of several formats say of it.
#ifndef HALYARD_TOOLS_PACK_EXPORT_MERGER_H_
#define HALYARD_TOOLS_PACK_EXPORT_MERGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image/reflection/reflected_image.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {

/// A value, and what says it.
template <class T>
struct Said {
  T value = {};
  std::string origin;
};

/// What is known beats what is guessed, and what is missing is completed. Two that know different things contradict
/// each other: Failure (kInput), with both sides and where they stand.
class ExportMerger {
 public:
  explicit ExportMerger(std::string name) : name_(std::move(name)) {}

  /// Everything that a description has is known. It must come first.
  void TakeDescription(const ExportDescription& description, const std::string& origin);
  void TakeImage(const ReflectedKernel& kernel, const std::string& origin);

  /// Numbers the bindings and places the constants without a place.
  ExportDescription Finish();

 private:
  struct Parameter {
    ReflectedParameter value;
    std::string origin;         // of its kind and size
    bool is_described = false;  // so that no image has a say in its access, or in what it holds
  };

  void TakeWorkgroupSize(const hal_dim3_t& size, const std::string& origin);
  void TakeParameters(const ReflectedKernel& kernel, const std::string& origin);
  void TakeOrdered(const ReflectedKernel& kernel, const std::string& origin);
  void TakeUnordered(const ReflectedKernel& kernel, const std::string& origin);
  void TakeParameter(size_t index, const ReflectedParameter& given, bool takes_addresses, const std::string& origin);
  bool TakeKind(size_t index, const ReflectedParameter& given, bool takes_addresses, const std::string& origin);
  void TakeAddresses(size_t index, const ReflectedParameter& given);
  void TakeBindingPlace(size_t index, const ReflectedParameter& given, const std::string& origin);
  void CheckCount(const char* what, size_t own, size_t given, const std::string& origin) const;
  void CheckConstantsSize(const ReflectedKernel& kernel, const std::string& origin) const;
  void CheckMaxVolume() const;
  uint32_t ConstantsSize() const;
  uint32_t FirstFreeBinding() const;
  void AddParameters(ExportDescription* result) const;
  std::vector<Parameter*> ParametersOf(hal_parameter_kind_t kind);

  std::string name_;
  std::optional<ExportDescription> description_;
  std::optional<Said<hal_dim3_t>> workgroup_size_;
  std::optional<Said<uint32_t>> max_volume_;  // the least
  std::optional<Said<uint32_t>> constants_size_;
  uint32_t local_memory_size_ = 0;  // the most
  bool is_told_ = false;            // whether an image had its say
  bool has_parameters_ = false;
  bool are_ordered_ = false;
  std::string parameters_origin_;
  std::vector<Parameter> parameters_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_EXPORT_MERGER_H_

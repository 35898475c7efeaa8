// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/metadata_sharing.h"

#include "image/halx/metadata_signature.h"

namespace halyard {
namespace {

constexpr size_t kMostTimes = 4;

/// Adds up bytes of texts and lists.
class Measure {
 public:
  void Add(const schemas::Executable& executable) {
    AddEach(executable.exports());
    AddEach(executable.variants());
  }
  uint64_t total() const { return total_; }

 private:
  void Add(const schemas::Export& given) {
    AddList(given.name());
    AddEach(given.parameters());
    if (given.signature()) {
      AddEach(given.signature()->arguments());
      AddEach(given.signature()->results());
    }
  }
  void Add(const schemas::Variant& given) {
    AddList(given.format());
    AddList(given.target());
    AddList(given.exports());
    AddEach(given.entry_points());
  }
  void Add(const schemas::EntryPoint& given) {
    AddList(given.symbol());
    AddEach(given.parameters());
  }
  void Add(const schemas::Parameter& given) {
    AddList(given.name());
    if (given.tensor_map()) {
      AddList(given.tensor_map()->box());
      AddList(given.tensor_map()->sizes());
      AddList(given.tensor_map()->strides());
    }
  }
  void Add(const schemas::Value& given) {
    AddList(given.sizes());
    AddList(given.strides());
  }

  template <class T>
  void AddEach(const flatbuffers::Vector<flatbuffers::Offset<T>>* tables) {
    if (!tables) return;
    for (const T* table : *tables) Add(*table);
  }
  void AddList(const flatbuffers::String* text) { total_ += text ? text->size() : 0; }
  template <class T>
  void AddList(const flatbuffers::Vector<T>* list) {
    total_ += list ? list->size() * sizeof(typename flatbuffers::IndirectHelper<T>::return_type) : 0;
  }
  void AddList(const flatbuffers::Vector<const schemas::TensorNumber*>* list) {
    total_ += list ? list->size() * sizeof(schemas::TensorNumber) : 0;
  }

  uint64_t total_ = 0;
};

}  // namespace

Status CheckSharing(const schemas::Executable& executable, size_t size) {
  Measure measure;
  measure.Add(executable);
  const uint64_t most = kMostTimes * uint64_t{size};
  if (measure.total() <= most) return kOk;
  return Fail(kBadMetadata,
              "metadata: its texts and lists are shared so often that they stand for %llu bytes; %llu are possible, as "
              "it has %zu",
              static_cast<unsigned long long>(measure.total()), static_cast<unsigned long long>(most), size);
}

}  // namespace halyard

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executable is to be made of, as a driver may trust it.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_PARAMS_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_PARAMS_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/executable/executable_reflection.h"
#include "core/executable/source_image.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A caller's blob store, checked and copied. Drivers call it within any function of theirs, so nothing that it throws
/// reaches them: a blob that is not found, or not stored, costs time only.
class BlobStore {
 public:
  BlobStore() = default;
  BlobStore(const BlobStore&) = delete;
  BlobStore& operator=(const BlobStore&) = delete;

  Status Read(const hal_blob_store_t* given);
  /// A store of the library, which throws nothing.
  void Set(const hal_blob_store_t& store) { store_ = store; }
  /// NULL if there is none.
  const hal_blob_store_t* get() const { return store_.load ? &store_ : nullptr; }

 private:
  static bool Load(void* self, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data);
  static void Store(void* self, hal_string_view_t key, const void* data, size_t size);

  hal_blob_store_t given_ = HAL_INIT(hal_blob_store_t);
  hal_blob_store_t store_ = HAL_INIT(hal_blob_store_t);
};

/// The checked parameters of an executable, with every export in a struct of the current size. Images, names and
/// parameter lists still belong to the caller.
class ExecutableParams {
 public:
  ExecutableParams() = default;
  ExecutableParams(const ExecutableParams&) = delete;
  ExecutableParams& operator=(const ExecutableParams&) = delete;

  /// Takes the parameters of one image: a raw one, or a part of an executable file.
  Status Read(hal_device_t* device, const hal_executable_params_t& given);

  /// Has the driver make an executable of them, which releases what it was given if it could be made.
  Status Create(hal_device_t* device, hal_executable_t** out_executable) const;

  const hal_executable_params_t& Get() const { return params_; }
  std::span<const hal_export_info_t> Exports() const { return exports_; }
  std::span<const hal_specialization_t> Specializations() const {
    return {params_.specializations, params_.specialization_count};
  }

  /// Gives a blob store, where the caller gave none.
  void SetDefaultBlobs(const hal_blob_store_t* blobs);
  /// Gives the image as bytes, where the caller gave a path.
  void SetData(std::span<const std::byte> image);

 private:
  Status ReadExports(const hal_executable_params_t& given);

  hal_executable_params_t params_ = HAL_INIT(hal_executable_params_t);
  HostVector<hal_export_info_t> exports_;
  BlobStore blobs_;
  SourceImage source_;               // the image, if a source was given
  ExecutableReflection reflection_;  // where exports come from, if the image itself tells them
};

/// Checks that an image is given as bytes or as a path.
Status CheckImage(const hal_executable_params_t& params);

/// Has the driver make an executable, and takes it over. Defined in executable.cpp.
Status CreateExecutable(hal_device_t* device, const ExecutableParams& params, hal_executable_t** out_executable);

/// As hal_executable_find_export(). Defined in executable.cpp.
Status FindExport(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal);

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_PARAMS_H_

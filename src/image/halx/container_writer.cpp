// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/container_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/file/atomic_file.h"
#include "image/halx/container.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/shared_object/bytes.h"

namespace halyard {
namespace {

bool SameBytes(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.data() == b.data() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// A file about to be written.
class Plan {
 public:
  Status Make(const ContainerContents& contents);

  uint64_t FileSize() const { return file_size_; }

  /// Hands the pieces of the file to `write`, from its first byte to its last.
  template <class Write>
  Status Emit(Write&& write) const;

 private:
  void HashImages();
  void PlaceImages(uint64_t metadata_end);

  const ContainerContents* contents_ = nullptr;
  HostVector<ImagePlace> places_;   // [variant]
  HostVector<size_t> originals_;    // [variant]: the first variant with the same image
  HostVector<std::byte> metadata_;  // with its hash
  uint64_t file_size_ = 0;
};

Status Plan::Make(const ContainerContents& contents) {
  contents_ = &contents;
  HashImages();
  // How much room the metadata takes is only known once it was made, with places that are anything but 0.
  PlaceImages(1);
  HAL_TRY(EncodeMetadata(contents, places_, file_size_, &metadata_));
  PlaceImages(metadata_.size() + kMetadataHashSize);
  HAL_TRY(EncodeMetadata(contents, places_, file_size_, &metadata_));
  AppendMetadataHash(&metadata_);
  return kOk;
}

void Plan::HashImages() {
  HostMap<std::pair<uint64_t, uint64_t>, size_t> originals;
  for (size_t i = 0; i < contents_->variants.size(); ++i) {
    const Bytes image = contents_->variants[i].image;
    const ImageHash hash = HashImage(image);
    places_.push_back({0, image.size(), hash.low, hash.high});
    const size_t original = originals.try_emplace({hash.low, hash.high}, i).first->second;
    originals_.push_back(SameBytes(contents_->variants[original].image, image) ? original : i);
  }
}

void Plan::PlaceImages(uint64_t metadata_end) {
  file_size_ = metadata_end;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (originals_[i] != i) {
      places_[i].offset = places_[originals_[i]].offset;
      continue;
    }
    places_[i].offset = AlignImage(file_size_);
    file_size_ = places_[i].offset + places_[i].size;
  }
}

template <class Write>
Status Plan::Emit(Write&& write) const {
  static constexpr std::byte kZeros[kImageAlignment] = {};
  HAL_TRY(write(Bytes(metadata_)));
  uint64_t end = metadata_.size();
  for (size_t i = 0; i < places_.size(); ++i) {
    if (originals_[i] != i) continue;
    HAL_TRY(write(Bytes(kZeros, places_[i].offset - end)));
    HAL_TRY(write(contents_->variants[i].image));
    end = places_[i].offset + places_[i].size;
  }
  return kOk;
}

Status MakePlan(const ContainerContents& contents, Plan* plan) {
  HAL_TRY(CheckContents(contents, HAL_STATUS_INVALID_ARGUMENT));
  return plan->Make(contents);
}

}  // namespace

Status SerializeContainer(const ContainerContents& contents, HostVector<std::byte>* out) {
  Plan plan;
  HAL_TRY(MakePlan(contents, &plan));
  HostVector<std::byte> file;
  file.reserve(plan.FileSize());
  const Status status = plan.Emit([&](Bytes piece) {
    file.insert(file.end(), piece.begin(), piece.end());
    return kOk;
  });
  *out = std::move(file);
  return status;
}

Status WriteContainer(const ContainerContents& contents, const char* path) {
  Plan plan;
  HAL_TRY(MakePlan(contents, &plan));
  AtomicFile file;
  HAL_TRY(file.Create(path));
  const Status status = plan.Emit([&](Bytes piece) { return file.Write(piece); });
  return status == kOk ? file.Commit() : status;
}

}  // namespace halyard

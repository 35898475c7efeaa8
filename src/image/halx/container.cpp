// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/container.h"

#include <cstring>
#include <utility>

#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/shared_object/bytes.h"

namespace halyard {
namespace {

bool IsAligned(Bytes bytes) { return reinterpret_cast<uintptr_t>(bytes.data()) % kMetadataAlignment == 0; }

/// The bytes at an address where they can be read in place.
Bytes CopyAligned(Bytes bytes, HostVector<uint64_t>* storage) {
  storage->resize((bytes.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  std::memcpy(storage->data(), bytes.data(), bytes.size());
  return std::as_bytes(std::span(*storage)).first(bytes.size());
}

Status CheckFileSize(uint64_t promised, uint64_t size) {
  if (promised == size) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "file_size: the file should have %llu bytes, but has %llu",
              static_cast<unsigned long long>(promised), static_cast<unsigned long long>(size));
}

}  // namespace

Status Container::Open(const char* path) {
  *this = Container();
  MappedFile mapping;
  Status status = mapping.Open(path);
  if (status == kOk) status = Parse(mapping.bytes());
  mapping_ = std::move(mapping);
  return status == kOk ? kOk : Annotate(status, "'", path, "': ");
}

Status Container::Parse(Bytes file) {
  *this = Container();
  Container parsed;
  HAL_TRY(parsed.Read(file));
  *this = std::move(parsed);
  return kOk;
}

Status Container::Read(Bytes file) {
  Bytes flatbuffer;
  HAL_TRY(FindMetadata(file, &flatbuffer));
  const uint64_t metadata_end = flatbuffer.size() + kMetadataHashSize;
  if (!IsAligned(flatbuffer)) flatbuffer = CopyAligned(flatbuffer, &aligned_);
  Metadata metadata;
  HAL_TRY(DecodeMetadata(flatbuffer, &metadata));
  HAL_TRY(CheckFileSize(metadata.file_size, file.size()));
  HAL_TRY(CheckPlaces(metadata.places, metadata_end, file.size()));
  for (size_t i = 0; i < metadata.places.size(); ++i) {
    const ImagePlace& place = metadata.places[i];
    metadata.contents.variants[i].image = file.subspan(place.offset, place.size);
  }
  HAL_TRY(CheckContents(metadata.contents, HAL_STATUS_DATA_LOSS));
  version_ = metadata.version;
  contents_ = std::move(metadata.contents);
  places_ = std::move(metadata.places);
  return kOk;
}

Status Container::CheckImage(size_t variant) const {
  const Bytes image = contents_.variants[variant].image;
  const ImagePlace& place = places_[variant];
  if (HashImage(image) == ImageHash{place.hash_low, place.hash_high}) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: its %zu bytes do not match their hash; the file is corrupt",
              variant, image.size());
}

}  // namespace halyard

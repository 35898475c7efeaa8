// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A blob store in memory, for tests of what drivers keep beyond the process.
#ifndef HALYARD_TESTS_CTS_MEMORY_BLOBS_H_
#define HALYARD_TESTS_CTS_MEMORY_BLOBS_H_

#include <functional>
#include <map>
#include <string>

#include "halyard/blob_store.h"

namespace halyard::cts {

/// A store that returns what `alter` makes of the stored bytes. For one thread at a time.
struct MemoryBlobs {
  std::map<std::string, std::string> blobs;
  std::function<std::string(const std::string&)> alter = [](const std::string& blob) { return blob; };

  hal_blob_store_t Interface() {
    return {sizeof(hal_blob_store_t), this,
            [](void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
              auto* const store = static_cast<MemoryBlobs*>(context);
              const auto place = store->blobs.find({key.data, key.size});
              if (place == store->blobs.end()) return false;
              const std::string blob = store->alter(place->second);
              found(user_data, blob.data(), blob.size());
              return true;
            },
            [](void* context, hal_string_view_t key, const void* data, size_t size) {
              static_cast<MemoryBlobs*>(context)->blobs[{key.data, key.size}] = {static_cast<const char*>(data), size};
            }};
  }
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_MEMORY_BLOBS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "framework/queue/counters.h"
#include "framework/queue/sim_encoders.h"
#include "framework/sim_buffer.h"

using halyard::metal_sim::Report;
using halyard::metal_sim::Storage;

namespace {

constexpr NSUInteger kWord = 4;

bool CheckRange(const char* what, const std::shared_ptr<Storage>& storage, NSUInteger offset, NSUInteger length) {
  if (offset % kWord != 0 || length % kWord != 0) Report("alignment", std::string(what) + ": not a multiple of 4");
  if (length > 0 && length <= storage->length() && offset <= storage->length() - length) return true;
  Report("range", std::string(what) + ": " + std::to_string(offset) + " + " + std::to_string(length) + " of " +
                      std::to_string(storage->length()) + " bytes");
  return false;
}

std::string CheckAlive(const std::shared_ptr<Storage>& storage) {
  if (storage->alive()) return {};
  Report("buffer-gone", "a blit");
  return "a blit uses a buffer that is gone; ";
}

}  // namespace

@implementation SimBlitEncoder

// Copies of one encoder may overlap, except for those of tracked memory.
- (void)uses:(const std::shared_ptr<Storage>&)storage {
  [super uses:storage];
  if (storage->hazards()) work_->serial = true;
}

- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands pass:(MTLBlitPassDescriptor*)pass {
  self = [super initWithCommandBuffer:commands];
  (void)pass;
  return self;
}

- (void)synchronizeResource:(id<MTLResource>)resource {
  if (![self mayEncode:_cmd]) return;
  if ([resource storageMode] != MTLStorageModeManaged) Report("storage-mode", "synchronizeResource: of other memory");
  const std::shared_ptr<Storage> storage = [(SimBuffer*)resource storage];
  [self uses:storage];
  work_->steps.push_back({false, [storage] {
                            std::string error = CheckAlive(storage);
                            if (error.empty() && storage->has_copies()) {
                              std::memcpy(storage->host(), storage->device(), storage->length());
                            }
                            return error;
                          }});
}

- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  if (![self mayEncode:_cmd]) return;
  const std::shared_ptr<Storage> storage = [(SimBuffer*)buffer storage];
  if (!CheckRange("fillBuffer:range:value:", storage, range.location, range.length)) return;
  [self uses:storage];
  work_->steps.push_back({false, [storage, range, value] {
                            std::string error = CheckAlive(storage);
                            if (error.empty()) std::memset(storage->device() + range.location, value, range.length);
                            return error;
                          }});
}

- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)source_offset
              toBuffer:(id<MTLBuffer>)target
     destinationOffset:(NSUInteger)target_offset
                  size:(NSUInteger)size {
  if (![self mayEncode:_cmd]) return;
  const std::shared_ptr<Storage> from = [(SimBuffer*)source storage];
  const std::shared_ptr<Storage> to = [(SimBuffer*)target storage];
  if (!CheckRange("copyFromBuffer: source", from, source_offset, size)) return;
  if (!CheckRange("copyFromBuffer: target", to, target_offset, size)) return;
  [self uses:from];
  [self uses:to];
  work_->steps.push_back({false, [=] {
                            std::string error = CheckAlive(from) + CheckAlive(to);
                            if (error.empty()) {
                              std::memcpy(to->device() + target_offset, from->device() + source_offset, size);
                            }
                            return error;
                          }});
}

- (void)resolveCounters:(id<MTLCounterSampleBuffer>)buffer
                inRange:(NSRange)range
      destinationBuffer:(id<MTLBuffer>)target
      destinationOffset:(NSUInteger)offset {
  if (![self mayEncode:_cmd]) return;
  const std::shared_ptr<Storage> to = [(SimBuffer*)target storage];
  [self uses:to];
  work_->steps.push_back({true, [=] {
                            @autoreleasepool {
                              NSData* const data = [(SimCounterSampleBuffer*)buffer samplesInRange:range];
                              std::memcpy(to->device() + offset, [data bytes], [data length]);
                            }
                            return std::string();
                          }});
}

@end

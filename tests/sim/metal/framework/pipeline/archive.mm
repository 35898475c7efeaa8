// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary archives. Their file has the keys of functions, since the simulation's machine code is kept elsewhere:
//
//   0     8 bytes   "HALARCH1"
//   8     8 bytes   XXH3-64 of all that follows
//   16              the device's name and then the keys, each ended by a line feed
#include <xxhash.h>

#include <cstring>
#include <sstream>
#include <utility>

#include "framework/library/compiled_functions.h"
#include "framework/library/sim_library.h"
#include "framework/pipeline/sim_archive.h"
#include "framework/refusal.h"
#include "msl/files.h"

using namespace halyard::metal_sim;

NSString* const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

namespace {

using Keys = std::set<std::string>;

struct Header {
  char magic[8] = {'H', 'A', 'L', 'A', 'R', 'C', 'H', '1'};
  uint64_t hash = 0;
};

std::string FileOf(NSString* device, const Keys& keys) {
  std::string lines = std::string(device.UTF8String) + '\n';
  for (const std::string& key : keys) lines += key + '\n';
  Header header;
  header.hash = XXH3_64bits(lines.data(), lines.size());
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + lines;
}

// What is wrong with a file; empty if nothing is, and its keys are read.
std::string Read(NSData* file, NSString* device, Keys* keys) {
  if (file == nil) return "there is no such file";
  Header header;
  if (file.length < sizeof(header)) return "the file ends inside its header";
  std::memcpy(&header, file.bytes, sizeof(header));
  if (std::memcmp(header.magic, Header().magic, sizeof(header.magic)) != 0) return "the file is no binary archive";
  const std::string text(static_cast<const char*>(file.bytes) + sizeof(header), file.length - sizeof(header));
  if (header.hash != XXH3_64bits(text.data(), text.size())) return "the file is damaged";
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != device.UTF8String) return "the file is of the device '" + line + "'";
  while (std::getline(lines, line)) keys->insert(line);
  return {};
}

}  // namespace

@implementation MTLBinaryArchiveDescriptor
@synthesize url = url_;

- (void)dealloc {
  [url_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLBinaryArchiveDescriptor* copy = [[MTLBinaryArchiveDescriptor allocWithZone:zone] init];
  copy.url = url_;
  return copy;
}
@end

@implementation SimBinaryArchive
@synthesize device = device_;
@synthesize label = label_;

- (instancetype)initWithDevice:(SimDevice*)device keys:(Keys&&)keys {
  self = [super init];
  device_ = [device retain];
  keys_ = std::move(keys);
  return self;
}

- (void)dealloc {
  [device_ release];
  [label_ release];
  [super dealloc];
}

- (BOOL)contains:(const std::string&)key {
  const std::lock_guard lock(mutex_);
  return keys_.contains(key);
}

- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor*)descriptor error:(NSError**)error {
  if (Refused(_cmd, error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError)) return NO;
  auto* function = static_cast<SimFunction*>(descriptor.computeFunction);
  if (Misused(function == nil, _cmd, "expected a descriptor with a function")) return NO;
  std::string fault;
  if ([function program:&fault] == nullptr) {
    SetError(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorCompilationFailure, fault);
    return NO;
  }
  const std::string key = [function key];
  const std::lock_guard lock(mutex_);
  if (keys_.insert(key).second) CountCompiledFunction(key);
  return YES;
}

- (BOOL)serializeToURL:(NSURL*)url error:(NSError**)error {
  if (Refused(_cmd, error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError)) return NO;
  if (Misused(!url.isFileURL, _cmd, "expected the URL of a file")) return NO;
  const std::lock_guard lock(mutex_);
  if (halyard::msl_host::WriteFile(url.path.UTF8String, FileOf(device_.name, keys_))) return YES;
  SetError(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError,
           std::string("cannot write ") + url.path.UTF8String);
  return NO;
}
@end

@implementation SimDevice (Archives)

- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor*)descriptor error:(NSError**)error {
  if (Refused(_cmd, error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError)) return nil;
  if (Misused(descriptor == nil, _cmd, "expected a descriptor")) return nil;
  Keys keys;
  if (descriptor.url != nil) {
    const std::string fault = Read([NSData dataWithContentsOfFile:descriptor.url.path], self.name, &keys);
    if (!fault.empty()) {
      SetError(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInvalidFile, fault);
      return nil;
    }
  }
  return [[SimBinaryArchive alloc] initWithDevice:self keys:std::move(keys)];
}
@end

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries, from text and from the stand-in for .metallib files.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/library/compiled_functions.h"
#include "framework/library/metallib_file.h"
#include "framework/library/sim_library.h"
#include "framework/refusal.h"
#include "metal/library_control.h"

using namespace halyard;
using namespace halyard::metal_sim;

NSString* const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";

namespace {

// In the order of their names, so that the same macros have the same hash.
Macros MacrosOf(MTLCompileOptions* options) {
  Macros macros;
  for (NSString* name in [options.preprocessorMacros.allKeys sortedArrayUsingSelector:@selector(compare:)]) {
    id value = [options.preprocessorMacros objectForKey:name];
    macros.emplace_back(name.UTF8String, [value description].UTF8String);
  }
  return macros;
}

// Of macOS 13, 14 and 15 or later.
MTLLanguageVersion NewestLanguage() {
  const unsigned macos = TheSettings().macos;
  return macos >= 15 ? MTLLanguageVersion3_2 : macos == 14 ? MTLLanguageVersion3_1 : MTLLanguageVersion3_0;
}

// What changes the code other than text and macros.
std::string OptionsOf(MTLCompileOptions* options) {
  return std::to_string(options.languageVersion) + (options.fastMathEnabled ? " fast " : " ") +
         std::to_string(options.mathMode) + (options.enableLogging ? " logging" : "");
}

// From macOS 15 on the mathematics have modes.
bool IsFast(MTLCompileOptions* options) {
  if (options == nil) return true;
  if (TheSettings().macos >= 15) return options.mathMode == MTLMathModeFast;
  return options.fastMathEnabled;
}

// Nil, with the compiler's messages in the error, if the text does not compile.
id<MTLLibrary> NewLibrary(SimDevice* device, std::string_view text, MTLCompileOptions* options, NSError** error) {
  if (options.languageVersion > NewestLanguage()) {
    SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorUnsupported, "the language version is newer than this macOS");
    return nil;
  }
  std::string messages;
  auto code = LibraryCode::Compile(text, MacrosOf(options), OptionsOf(options), &messages);
  if (code != nullptr) return [[SimLibrary alloc] initWithDevice:device code:std::move(code)];
  SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, "Compilation failed: \n\n" + messages);
  return nil;
}

id<MTLLibrary> NewLibraryFromFile(SimDevice* device, std::span<const std::byte> bytes, NSError** error) {
  const MetallibText file = ReadMetallib(bytes);
  if (file.error != nullptr) {
    SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorUnsupported,
             std::string("Invalid library file: ") + file.error);
    return nil;
  }
  return NewLibrary(device, file.text, nil, error);
}

}  // namespace

@implementation MTLCompileOptions
@synthesize preprocessorMacros = preprocessorMacros_;
@synthesize fastMathEnabled = fastMathEnabled_;
@synthesize mathMode = mathMode_;
@synthesize enableLogging = enableLogging_;
@synthesize languageVersion = languageVersion_;

- (instancetype)init {
  self = [super init];
  fastMathEnabled_ = YES;
  mathMode_ = MTLMathModeFast;
  languageVersion_ = NewestLanguage();
  return self;
}

// A framework of an older macOS does not know these.
- (BOOL)respondsToSelector:(SEL)selector {
  const bool of_15 = sel_isEqual(selector, @selector(mathMode)) || sel_isEqual(selector, @selector(setMathMode:)) ||
                     sel_isEqual(selector, @selector(enableLogging)) ||
                     sel_isEqual(selector, @selector(setEnableLogging:));
  return (!of_15 || TheSettings().macos >= 15) && [super respondsToSelector:selector];
}

- (void)setMathMode:(MTLMathMode)mode {
  NeedsMacos(15, _cmd);
  mathMode_ = mode;
}

- (void)setEnableLogging:(BOOL)logging {
  NeedsMacos(15, _cmd);
  enableLogging_ = logging;
}

- (void)dealloc {
  [preprocessorMacros_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLCompileOptions* copy = [[MTLCompileOptions allocWithZone:zone] init];
  copy.preprocessorMacros = preprocessorMacros_;
  copy.fastMathEnabled = fastMathEnabled_;
  copy->mathMode_ = mathMode_;
  copy->enableLogging_ = enableLogging_;
  copy.languageVersion = languageVersion_;
  return copy;
}
@end

@implementation SimLibrary
@synthesize device = device_;
@synthesize label = label_;

- (instancetype)initWithDevice:(SimDevice*)device code:(std::shared_ptr<const LibraryCode>)code {
  self = [super init];
  device_ = [device retain];
  code_ = std::move(code);
  return self;
}

- (void)dealloc {
  [device_ release];
  [label_ release];
  [super dealloc];
}

- (NSArray*)functionNames {
  NSMutableArray* names = [NSMutableArray array];
  for (const msl_host::Kernel& kernel : code_->Kernels()) {
    [names addObject:[NSString stringWithUTF8String:kernel.name.c_str()]];
  }
  return names;
}

// Null if there is none of that name.
- (SimFunction*)newFunction:(NSString*)name {
  const msl_host::Kernel* kernel = code_->Find(name.UTF8String);
  return kernel == nullptr ? nil : [[SimFunction alloc] initWithDevice:device_ code:code_ kernel:kernel];
}

- (id<MTLFunction>)newFunctionWithName:(NSString*)name {
  if (CallFails(_cmd) || Misused(name == nil, _cmd, "expected a name")) return nil;
  return [self newFunction:name];
}

- (id<MTLFunction>)newFunctionWithName:(NSString*)name
                        constantValues:(MTLFunctionConstantValues*)values
                                 error:(NSError**)error {
  if (Refused(_cmd, error, MTLLibraryErrorDomain, MTLLibraryErrorInternal)) return nil;
  if (Misused(name == nil || values == nil, _cmd, "expected a name and values")) return nil;
  SimFunction* function = [self newFunction:name];
  if (function == nil) {
    SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorFunctionNotFound,
             std::string("the library has no function '") + name.UTF8String + "'");
    return nil;
  }
  if ([function specialise:values.given error:error]) return function;
  [function release];
  return nil;
}
@end

@implementation SimDevice (Library)

- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source options:(MTLCompileOptions*)options error:(NSError**)error {
  if (Refused(_cmd, error, MTLLibraryErrorDomain, MTLLibraryErrorInternal)) return nil;
  if (Misused(source == nil, _cmd, "expected a text")) return nil;
  const id<MTLLibrary> library = NewLibrary(self, source.UTF8String, options, error);
  if (library != nil) CountLibrary(IsFast(options), options.enableLogging);
  return library;
}

- (id<MTLLibrary>)newLibraryWithData:(dispatch_data_t)data error:(NSError**)error {
  if (Refused(_cmd, error, MTLLibraryErrorDomain, MTLLibraryErrorInternal)) return nil;
  if (Misused(data == nullptr, _cmd, "expected data")) return nil;
  return NewLibraryFromFile(self, DispatchDataBytes(data), error);
}

- (id<MTLLibrary>)newLibraryWithURL:(NSURL*)url error:(NSError**)error {
  if (Refused(_cmd, error, MTLLibraryErrorDomain, MTLLibraryErrorInternal)) return nil;
  NSData* file = [NSData dataWithContentsOfFile:url.path];
  if (file != nil) return NewLibraryFromFile(self, {static_cast<const std::byte*>(file.bytes), file.length}, error);
  SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorFileNotFound,
           std::string("library not found: ") + (url.path == nil ? "(no path)" : url.path.UTF8String));
  return nil;
}
@end

size_t halyardSimMetalLibrary(const char* text, void* bytes, size_t capacity) {
  const std::string file = WriteMetallib(text);
  if (capacity > 0) std::memcpy(bytes, file.data(), std::min(capacity, file.size()));
  return file.size();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/executable/metal_pipelines.h"

#import <dispatch/dispatch.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/host_event.h"
#include "metal/executable/metal_reflection.h"
#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

HostString Prefix(size_t ordinal, std::string_view symbol) {
  char text[32];
  std::snprintf(text, sizeof(text), "export %zu (\"", ordinal);
  return text + HostString(symbol) + "\"): ";
}

uint64_t SizeOf(MTLDataType type) {
  switch (type) {
    case MTLDataTypeBool:
    case MTLDataTypeChar:
    case MTLDataTypeUChar:
      return 1;
    case MTLDataTypeHalf:
    case MTLDataTypeShort:
    case MTLDataTypeUShort:
      return 2;
    case MTLDataTypeLong:
    case MTLDataTypeULong:
      return 8;
    default:
      return 4;
  }
}

// A bool has one byte in Metal's language, and four where it is a constant of Vulkan's.
Status CheckSize(const hal_specialization_t& given, uint32_t size) {
  if (given.size == size || (size == 1 && given.size == 4 && given.value <= 1)) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "specialisation constant %u has %u bytes, not %u", given.id, given.size,
              size);
}

// Specialisation constant N is function constant N. Those that the function lacks concern other kernels.
Status FillConstants(id<MTLFunction> function, std::span<const hal_specialization_t> specializations,
                     MTLFunctionConstantValues* values) {
  NSDictionary* const constants = [function functionConstantsDictionary];
  for (NSString* name in constants) {
    MTLFunctionConstant* const constant = [constants objectForKey:name];
    for (const hal_specialization_t& given : specializations) {
      if (given.id != [constant index]) continue;
      HAL_TRY(CheckSize(given, static_cast<uint32_t>(SizeOf([constant type]))));
      uint64_t bits = given.value;
      [values setConstantValue:&bits type:[constant type] atIndex:given.id];
    }
  }
  return kOk;
}

Status FindFunction(NativeLibrary library, std::string_view symbol,
                    std::span<const hal_specialization_t> specializations, id<MTLFunction>* out_function) {
  NSString* const name = ToNSString(symbol);
  const id<MTLFunction> plain = [[Id(library) newFunctionWithName:name] autorelease];
  if (!plain) return Fail(HAL_STATUS_NOT_FOUND, "the library has no function '%.*s'", HALYARD_SV(symbol));
  *out_function = plain;
  if ([[plain functionConstantsDictionary] count] == 0) return kOk;
  MTLFunctionConstantValues* const values = [[[HALYARD_METAL_CLASS(MTLFunctionConstantValues) alloc] init] autorelease];
  HAL_TRY(FillConstants(plain, specializations, values));
  NSError* error = nil;
  *out_function = [[Id(library) newFunctionWithName:name constantValues:values error:&error] autorelease];
  return *out_function ? kOk : FailCall(HAL_STATUS_ABORTED, "newFunctionWithName", error);
}

// One pipeline while Metal makes it.
struct Making {
  MTLComputePipelineDescriptor* descriptor = nil;
  id<MTLFunction> function = nil;
  id<MTLComputePipelineState> state = nil;
  MTLComputePipelineReflection* reflection = nil;
  NSError* error = nil;
  HostEvent done;
};

constexpr MTLPipelineOption kReflect = static_cast<MTLPipelineOption>(
    static_cast<NSUInteger>(MTLPipelineOptionBindingInfo) | static_cast<NSUInteger>(MTLPipelineOptionBufferTypeInfo));

void Start(id<MTLDevice> device, NativeBinaryArchive archive, Making* making) {
  MTLComputePipelineDescriptor* const descriptor =
      [[[HALYARD_METAL_CLASS(MTLComputePipelineDescriptor) alloc] init] autorelease];
  [descriptor setComputeFunction:making->function];
  if (archive) [descriptor setBinaryArchives:[NSArray arrayWithObject:Id(archive)]];
  making->descriptor = descriptor;
  [device newComputePipelineStateWithDescriptor:descriptor
                                        options:kReflect
                              completionHandler:^(id<MTLComputePipelineState> state,
                                                  MTLComputePipelineReflection* reflection, NSError* error) {
                                making->state = [state retain];
                                making->reflection = [reflection retain];
                                making->error = [error retain];
                                making->done.Set();
                              }];
}

Status Finish(Making* making, const PipelineRequest& request, bool use_encoders, MetalPipeline* out) {
  [making->state autorelease];
  [making->reflection autorelease];
  [making->error autorelease];
  if (!making->state) return FailCall(HAL_STATUS_ABORTED, "newComputePipelineState", making->error);
  out->state = Owned<NativeComputePipelineState>::Retaining(ToNative<NativeComputePipelineState>(making->state));
  out->max_volume = static_cast<uint32_t>([making->state maxTotalThreadsPerThreadgroup]);
  out->subgroup_size = static_cast<uint32_t>([making->state threadExecutionWidth]);
  out->local_memory_size = static_cast<uint32_t>([making->state staticThreadgroupMemoryLength]);
  return ReflectArguments(making->reflection, making->function, request, use_encoders, out);
}

// What a kernel logs reaches the host only if it was compiled for that, which costs time whether or not it logs.
MTLCompileOptions* OptionsFor(std::string_view source) {
  MTLCompileOptions* const options = [[[HALYARD_METAL_CLASS(MTLCompileOptions) alloc] init] autorelease];
  if (@available(macOS 15.0, iOS 18.0, *)) {
    if ([options respondsToSelector:@selector(setMathMode:)]) {
      [options setMathMode:MTLMathModeSafe];
      [options setEnableLogging:source.find("os_log") != std::string_view::npos];
      return options;
    }
  }
  [options setFastMathEnabled:NO];
  return options;
}

// Bytes of the constants that a macro is the value of ("constant int rows = MACRO;"); 0 if there is none.
uint32_t SizeOfMacro(std::string_view source, std::string_view macro) {
  static constexpr std::pair<std::string_view, uint32_t> kSizes[] = {{"bool", 1},  {"char", 1},   {"uchar", 1},
                                                                     {"short", 2}, {"ushort", 2}, {"int", 4},
                                                                     {"uint", 4},  {"long", 8},   {"ulong", 8}};
  const HostString end = " = " + HostString(macro) + ";";
  const size_t at = source.find(end);
  if (at == std::string_view::npos) return 0;
  const std::string_view declaration = source.substr(0, at).substr(source.rfind('\n', at) + 1);
  const size_t type = declaration.find(' ') + 1;
  const std::string_view name = declaration.substr(type, declaration.find(' ', type) - type);
  const auto* const found =
      std::find_if(std::begin(kSizes), std::end(kSizes), [&](const auto& known) { return known.first == name; });
  return found == std::end(kSizes) ? 0 : found->second;
}

Status FillMacros(std::string_view source, std::span<const hal_specialization_t> specializations,
                  NSMutableDictionary* macros) {
  for (const hal_specialization_t& given : specializations) {
    char macro[64];
    std::snprintf(macro, sizeof(macro), "SPIRV_CROSS_CONSTANT_ID_%u", given.id);
    const uint32_t size = SizeOfMacro(source, macro);
    if (size == 0) continue;
    HAL_TRY(CheckSize(given, size));
    char value[32];
    std::snprintf(value, sizeof(value), "%llu%s", static_cast<unsigned long long>(given.value), size == 8 ? "ul" : "u");
    [macros setObject:ToNSString(value) forKey:ToNSString(macro)];
  }
  return kOk;
}

}  // namespace

Status MakeLibraryFromSource(NativeDevice device, std::string_view source,
                             std::span<const hal_specialization_t> specializations, Owned<NativeLibrary>* out_library) {
  const AutoreleaseScope scope;
  MTLCompileOptions* const options = OptionsFor(source);
  NSMutableDictionary* const macros = [NSMutableDictionary dictionary];
  HAL_TRY(FillMacros(source, specializations, macros));
  if ([macros count] > 0) [options setPreprocessorMacros:macros];
  NSString* const text = ToNSString(source);
  if (!text) return FailWith(HAL_STATUS_DATA_LOSS, "the Metal source is no UTF-8 text");
  NSError* error = nil;
  const id<MTLLibrary> library = [Id(device) newLibraryWithSource:text options:options error:&error];
  if (!library) return FailCall(HAL_STATUS_ABORTED, "newLibraryWithSource", error);
  *out_library = Owned<NativeLibrary>::Adopting(ToNative<NativeLibrary>(library));
  return kOk;
}

Status MakeLibraryFromData(NativeDevice device, std::span<const std::byte> data, Owned<NativeLibrary>* out_library) {
  const AutoreleaseScope scope;
  const dispatch_data_t bytes =
      dispatch_data_create(data.data(), data.size(), nullptr, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  if (!bytes) return FailNil("dispatch_data_create");
  NSError* error = nil;
  const id<MTLLibrary> library = [Id(device) newLibraryWithData:bytes error:&error];
  dispatch_release(bytes);
  if (!library) return FailCall(HAL_STATUS_DATA_LOSS, "newLibraryWithData", error);
  *out_library = Owned<NativeLibrary>::Adopting(ToNative<NativeLibrary>(library));
  return kOk;
}

// All functions are found before the first pipeline is begun, so that no handler outlives a failure.
Status MakePipelines(NativeDevice device, NativeLibrary library, std::span<const PipelineRequest> requests,
                     std::span<const hal_specialization_t> specializations, bool use_encoders,
                     const MetalArchive& archive, HostVector<MetalPipeline>* out_pipelines) {
  const AutoreleaseScope scope;
  out_pipelines->resize(requests.size());
  const auto making = std::make_unique<Making[]>(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const Failure failure(FindFunction(library, requests[i].symbol, specializations, &making[i].function));
    if (failure) return Annotate(failure, Prefix(i, requests[i].symbol));
  }
  for (size_t i = 0; i < requests.size(); ++i) Start(Id(device), archive.native(), &making[i]);
  for (size_t i = 0; i < requests.size(); ++i) static_cast<void>(making[i].done.Wait(Deadline{}));
  Failure first;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Failure failure(Finish(&making[i], requests[i], use_encoders, &(*out_pipelines)[i]));
    if (failure && !first) first = Failure(Annotate(failure, Prefix(i, requests[i].symbol)));
  }
  for (size_t i = 0; !first && archive.collects() && i < requests.size(); ++i) {
    NSError* error = nil;  // without this one the next process compiles it again
    [Id(archive.native()) addComputePipelineFunctionsWithDescriptor:making[i].descriptor error:&error];
  }
  return first.Take();
}

Status MakeBuiltinPipeline(NativeDevice device, NativeLibrary library, const char* name,
                           Owned<NativeComputePipelineState>* out_state) {
  const AutoreleaseScope scope;
  id<MTLFunction> function = nil;
  HAL_TRY(FindFunction(library, name, {}, &function));
  NSError* error = nil;
  const id<MTLComputePipelineState> state = [Id(device) newComputePipelineStateWithFunction:function error:&error];
  if (!state) return FailCall(HAL_STATUS_ABORTED, "newComputePipelineStateWithFunction", error);
  *out_state = Owned<NativeComputePipelineState>::Adopting(ToNative<NativeComputePipelineState>(state));
  return kOk;
}

}  // namespace halyard::metal

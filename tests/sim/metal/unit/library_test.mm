// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "framework/library/metallib_file.h"
#include "framework_test.h"

namespace halyard::metal_sim {
namespace {

using testing::HasSubstr;

constexpr const char* kTwoKernels = R"(#include <metal_stdlib>
using namespace metal;
kernel void first(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i; }
kernel void second(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 2 * i; }
)";

constexpr const char* kConstants = R"(#include <metal_stdlib>
using namespace metal;
constant uint count [[function_constant(3)]];
constant float scale_given [[function_constant(1)]];
constant float scale = is_function_constant_defined(scale_given) ? scale_given : 2.0;
kernel void plain(device uint* out [[buffer(0)]]) { out[0] = 1; }
kernel void needs_both(device float* out [[buffer(0)]]) { out[0] = count * scale; }
)";

class LibraryTest : public FrameworkTest {};

dispatch_data_t DataOf(const std::string& bytes) {
  return FRAMEWORK_CALL(dispatch_data_create)(bytes.data(), bytes.size(), nullptr, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
}

TEST_F(LibraryTest, NamesItsKernels) {
  NSArray* names = Library(kTwoKernels).functionNames;
  EXPECT_TRUE(([names isEqual:@[ @"first", @"second" ]]));
}

TEST_F(LibraryTest, SaysWhereTheTextIsWrong) {
  NSError* error = nil;
  id<MTLLibrary> library = [device_ newLibraryWithSource:@"kernel void f()\n{ missing = 1; }\n"
                                                 options:nil
                                                   error:&error];
  EXPECT_EQ(library, nil);
  EXPECT_TRUE([error.domain isEqualToString:@"MTLLibraryErrorDomain"]);
  EXPECT_EQ(error.code, NSInteger(MTLLibraryErrorCompileFailure));
  EXPECT_THAT(TextOf(error), HasSubstr("program_source:2:3: error: "));
}

TEST_F(LibraryTest, TakesMacros) {
  auto* options = NEW(MTLCompileOptions);
  options.preprocessorMacros = @{@"NAME" : @"named", @"VALUE" : @3};
  NSString* text = @"kernel void NAME(device int* out [[buffer(0)]]) { out[0] = VALUE; }";
  id<MTLLibrary> library = [[device_ newLibraryWithSource:text options:options error:nullptr] autorelease];
  EXPECT_TRUE([library.functionNames isEqual:@[ @"named" ]]);
}

TEST_F(LibraryTest, HasNoFunctionOfAnotherName) {
  id<MTLLibrary> library = Library(kTwoKernels);
  EXPECT_EQ([library newFunctionWithName:@"third"], nil);
  NSError* error = nil;
  EXPECT_EQ([library newFunctionWithName:@"third" constantValues:NEW(MTLFunctionConstantValues) error:&error], nil);
  EXPECT_EQ(error.code, NSInteger(MTLLibraryErrorFunctionNotFound));
}

TEST_F(LibraryTest, LoadsFromDataAndFromAFile) {
  const std::string file = WriteMetallib(kTwoKernels);
  dispatch_data_t data = DataOf(file);
  id<MTLLibrary> from_data = [[device_ newLibraryWithData:data error:nullptr] autorelease];
  FRAMEWORK_CALL(dispatch_release)(data);
  EXPECT_EQ(from_data.functionNames.count, 2u);

  NSURL* url = File(@"two.metallib");
  [[NSData dataWithBytes:file.data() length:file.size()] writeToURL:url atomically:YES];
  id<MTLLibrary> from_file = [[device_ newLibraryWithURL:url error:nullptr] autorelease];
  EXPECT_EQ(from_file.functionNames.count, 2u);
}

TEST_F(LibraryTest, RefusesDamagedFiles) {
  const std::string file = WriteMetallib("kernel void f() {}");
  std::vector<std::string> damaged;
  for (size_t i = 0; i < file.size(); ++i) {
    damaged.push_back(file.substr(0, i));
    damaged.push_back(file);
    damaged.back()[i] ^= 1;
  }
  for (const std::string& bytes : damaged) {
    dispatch_data_t data = DataOf(bytes);
    NSError* error = nil;
    EXPECT_EQ([device_ newLibraryWithData:data error:&error], nil);
    EXPECT_EQ(error.code, NSInteger(MTLLibraryErrorUnsupported));
    FRAMEWORK_CALL(dispatch_release)(data);
  }
}

TEST_F(LibraryTest, SaysThatAFileIsMissing) {
  NSError* error = nil;
  EXPECT_EQ([device_ newLibraryWithURL:File(@"none.metallib") error:&error], nil);
  EXPECT_EQ(error.code, NSInteger(MTLLibraryErrorFileNotFound));
}

TEST_F(LibraryTest, DescribesTheConstantsOfEachFunction) {
  id<MTLLibrary> library = Library(kConstants);
  id<MTLFunction> plain = [[library newFunctionWithName:@"plain"] autorelease];
  EXPECT_EQ(plain.functionConstantsDictionary.count, 0u);
  id<MTLFunction> function = [[library newFunctionWithName:@"needs_both"] autorelease];
  NSDictionary* constants = function.functionConstantsDictionary;
  ASSERT_EQ(constants.count, 2u);
  MTLFunctionConstant* count = [constants objectForKey:@"count"];
  EXPECT_EQ(count.index, 3u);
  EXPECT_EQ(count.type, MTLDataTypeUInt);
  EXPECT_TRUE(count.required);
  MTLFunctionConstant* scale = [constants objectForKey:@"scale_given"];
  EXPECT_EQ(scale.type, MTLDataTypeFloat);
  EXPECT_FALSE(scale.required);
}

TEST_F(LibraryTest, TakesConstantsByIndexAndByName) {
  id<MTLLibrary> library = Library(kConstants);
  const uint32_t count = 5;
  auto* by_index = NEW(MTLFunctionConstantValues);
  [by_index setConstantValue:&count type:MTLDataTypeUInt atIndex:3];
  EXPECT_EQ(FunctionWith(library, @"needs_both", by_index).functionConstantsDictionary.count, 0u);
  auto* by_name = NEW(MTLFunctionConstantValues);
  [by_name setConstantValue:&count type:MTLDataTypeUInt withName:@"count"];
  FunctionWith(library, @"needs_both", [[by_name copy] autorelease]);
}

TEST_F(LibraryTest, RefusesMissingAndMistypedConstants) {
  id<MTLLibrary> library = Library(kConstants);
  auto* values = NEW(MTLFunctionConstantValues);
  NSError* error = nil;
  EXPECT_EQ([library newFunctionWithName:@"needs_both" constantValues:values error:&error], nil);
  EXPECT_THAT(TextOf(error), HasSubstr("'count' is required"));
  const float count = 5;
  [values setConstantValue:&count type:MTLDataTypeFloat atIndex:3];
  EXPECT_EQ([library newFunctionWithName:@"needs_both" constantValues:values error:&error], nil);
  EXPECT_THAT(TextOf(error), HasSubstr("'count' has the type uint, but its value has the type float"));
}

TEST_F(LibraryTest, CallsFailWhenATestWantsIt) {
  NSError* error = nil;
  FailNext("newLibraryWithSource:options:error:");
  EXPECT_EQ([device_ newLibraryWithSource:@"" options:nil error:&error], nil);
  EXPECT_NE(TextOf(error), "");
  id<MTLLibrary> library = Library(kTwoKernels);
  FailNext("newFunctionWithName:");
  EXPECT_EQ([library newFunctionWithName:@"first"], nil);
  EXPECT_NE([[library newFunctionWithName:@"first"] autorelease], nil);
}

TEST_F(LibraryTest, ReportsMisuse) {
  [device_ newLibraryWithSource:nil options:nil error:nullptr];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);
  [NEW(MTLFunctionConstantValues) setConstantValue:nullptr type:MTLDataTypeUInt atIndex:0];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);
}

}  // namespace
}  // namespace halyard::metal_sim

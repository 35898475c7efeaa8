// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "control.h"
#include "framework_test.h"
#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"(#include <metal_stdlib>
using namespace metal;
constant uint count [[function_constant(0)]];
kernel void plain(device uint* out [[buffer(0)]]) { out[0] = 1; }
kernel void counts(device uint* out [[buffer(0)]]) { out[0] = count; }
)";

uint64_t Compiled() { return FRAMEWORK_CALL(halyardSimMetalCompiledFunctions)(); }
uint64_t Hits() { return FRAMEWORK_CALL(halyardSimMetalArchiveHits)(); }

class ArchiveTest : public FrameworkTest {
 protected:
  // Empty if the file is nil. Nil, with the error, if the file cannot be used.
  id<MTLBinaryArchive> Archive(NSURL* file, NSError** error = nullptr) {
    auto* descriptor = NEW(MTLBinaryArchiveDescriptor);
    descriptor.url = file;
    return [[device_ newBinaryArchiveWithDescriptor:descriptor error:error] autorelease];
  }

  id<MTLFunction> Counts(uint32_t count) {
    auto* values = NEW(MTLFunctionConstantValues);
    [values setConstantValue:&count type:MTLDataTypeUInt atIndex:0];
    return FunctionWith(Library(kText), @"counts", values);
  }

  bool MakesPipeline(id<MTLFunction> function, id<MTLBinaryArchive> archive, MTLPipelineOption options) {
    MTLComputePipelineDescriptor* descriptor = Descriptor(function);
    descriptor.binaryArchives = @[ archive ];
    id pipeline = [device_ newComputePipelineStateWithDescriptor:descriptor
                                                         options:options
                                                      reflection:nullptr
                                                           error:nullptr];
    [pipeline release];
    return pipeline != nil;
  }

  // A file with the function plain() and with counts() for 5.
  NSURL* StoredArchive() {
    id<MTLBinaryArchive> archive = Archive(nil);
    for (id<MTLFunction> function in @[ Function(kText, @"plain"), Counts(5) ]) {
      EXPECT_TRUE([archive addComputePipelineFunctionsWithDescriptor:Descriptor(function) error:nullptr]);
    }
    NSURL* file = File(@"archive");
    EXPECT_TRUE([archive serializeToURL:file error:nullptr]);
    return file;
  }
};

TEST_F(ArchiveTest, SparesTheCompilerInALaterProcess) {
  NSURL* file = StoredArchive();
  EXPECT_EQ(Compiled(), 2u);
  FRAMEWORK_CALL(halyardSimReset)();  // a new process, as far as the compiler goes
  id<MTLBinaryArchive> archive = Archive(file);
  EXPECT_TRUE(MakesPipeline(Function(kText, @"plain"), archive, MTLPipelineOptionNone));
  EXPECT_TRUE(MakesPipeline(Counts(5), archive, MTLPipelineOptionFailOnBinaryArchiveMiss));
  EXPECT_EQ(Compiled(), 0u);
  EXPECT_EQ(Hits(), 2u);
}

TEST_F(ArchiveTest, DoesNotHaveOtherValuesOfConstants) {
  id<MTLBinaryArchive> archive = Archive(StoredArchive());
  FRAMEWORK_CALL(halyardSimReset)();
  EXPECT_FALSE(MakesPipeline(Counts(6), archive, MTLPipelineOptionFailOnBinaryArchiveMiss));
  EXPECT_EQ(Compiled(), 0u);
  EXPECT_TRUE(MakesPipeline(Counts(6), archive, MTLPipelineOptionNone));
  EXPECT_TRUE(MakesPipeline(Counts(6), archive, MTLPipelineOptionNone));
  EXPECT_EQ(Compiled(), 1u);  // a function counts once
  EXPECT_EQ(Hits(), 0u);
}

TEST_F(ArchiveTest, RefusesFunctionsWithoutTheirValues) {
  NSError* error = nil;
  auto* descriptor = Descriptor(Function(kText, @"counts"));
  EXPECT_FALSE([Archive(nil) addComputePipelineFunctionsWithDescriptor:descriptor error:&error]);
  EXPECT_EQ(error.code, NSInteger(MTLBinaryArchiveErrorCompilationFailure));
}

TEST_F(ArchiveTest, RefusesDamagedFiles) {
  NSData* whole = [NSData dataWithContentsOfURL:StoredArchive()];
  NSURL* file = File(@"damaged");
  for (NSUInteger i = 0; i < whole.length; ++i) {
    NSMutableData* flipped = [[whole mutableCopy] autorelease];
    static_cast<unsigned char*>(flipped.mutableBytes)[i] ^= 1;
    for (NSData* bytes in @[ flipped, [whole subdataWithRange:NSMakeRange(0, i)] ]) {
      [bytes writeToURL:file atomically:NO];
      NSError* error = nil;
      EXPECT_EQ(Archive(file, &error), nil);
      EXPECT_EQ(error.code, NSInteger(MTLBinaryArchiveErrorInvalidFile));
    }
  }
}

TEST_F(ArchiveTest, SaysThatAFileIsMissing) {
  NSError* error = nil;
  EXPECT_EQ(Archive(File(@"none"), &error), nil);
  EXPECT_TRUE([error.domain isEqualToString:@"MTLBinaryArchiveDomain"]);
  EXPECT_EQ(error.code, NSInteger(MTLBinaryArchiveErrorInvalidFile));
}

TEST_F(ArchiveTest, SaysThatAFolderIsMissing) {
  NSError* error = nil;
  NSURL* file = [File(@"folder") URLByAppendingPathComponent:@"archive"];
  EXPECT_FALSE([Archive(nil) serializeToURL:file error:&error]);
  EXPECT_THAT(TextOf(error), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace halyard::metal_sim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_MTL_COMPUTE_PIPELINE_H_
#define HALYARD_SIM_METAL_MTL_COMPUTE_PIPELINE_H_

#import <Metal/MTLLibrary.h>
#import <Metal/MTLResource.h>
#import <Metal/SimDescriptors.h>

@class MTLStructType;

typedef NS_ENUM(NSInteger, MTLBindingType) {
  MTLBindingTypeBuffer = 0,
  MTLBindingTypeThreadgroupMemory = 1,
};

typedef NS_ENUM(NSUInteger, MTLBindingAccess) {
  MTLBindingAccessReadOnly = 0,
  MTLBindingAccessReadWrite = 1,
  MTLBindingAccessWriteOnly = 2,
};

typedef NS_OPTIONS(NSUInteger, MTLPipelineOption) {
  MTLPipelineOptionNone = 0,
  MTLPipelineOptionBindingInfo = 1 << 0,
  MTLPipelineOptionBufferTypeInfo = 1 << 1,
  MTLPipelineOptionFailOnBinaryArchiveMiss = 1 << 2,
};

typedef NS_ENUM(NSUInteger, MTLMutability) {
  MTLMutabilityDefault = 0,
  MTLMutabilityMutable = 1,
  MTLMutabilityImmutable = 2,
};

@interface MTLType : NSObject {
 @protected
  MTLDataType dataType_;
}
@property(readonly) MTLDataType dataType;
@end

@interface MTLPointerType : MTLType {
 @private
  MTLDataType elementType_;
  MTLBindingAccess access_;
  NSUInteger alignment_;
  NSUInteger dataSize_;
  BOOL elementIsArgumentBuffer_;
  MTLStructType* elementStructType_;
}
@property(readonly) MTLDataType elementType;
@property(readonly) MTLBindingAccess access;
@property(readonly) NSUInteger alignment;
@property(readonly) NSUInteger dataSize;
@property(readonly) BOOL elementIsArgumentBuffer;
- (MTLStructType*)elementStructType;
@end

@interface MTLStructMember : NSObject {
 @private
  NSString* name_;
  NSUInteger offset_;
  MTLDataType dataType_;
  NSUInteger argumentIndex_;
  MTLPointerType* pointerType_;
}
@property(readonly) NSString* name;
@property(readonly) NSUInteger offset;
@property(readonly) MTLDataType dataType;
@property(readonly) NSUInteger argumentIndex;
- (MTLStructType*)structType;
- (MTLPointerType*)pointerType;
@end

@interface MTLStructType : MTLType {
 @private
  NSArray* members_;
}
@property(readonly) NSArray* members;  // of MTLStructMember
- (MTLStructMember*)memberByName:(NSString*)name;
@end

@protocol MTLBinding <NSObject>
@property(readonly) NSString* name;
@property(readonly) MTLBindingType type;
@property(readonly) MTLBindingAccess access;
@property(readonly) NSUInteger index;
@property(readonly, getter=isUsed) BOOL used;
@property(readonly, getter=isArgument) BOOL argument;
@end

@protocol MTLBufferBinding <MTLBinding>
@property(readonly) NSUInteger bufferAlignment;
@property(readonly) NSUInteger bufferDataSize;
@property(readonly) MTLDataType bufferDataType;
@property(readonly) MTLStructType* bufferStructType;
@property(readonly) MTLPointerType* bufferPointerType;
@end

@protocol MTLThreadgroupBinding <MTLBinding>
@property(readonly) NSUInteger threadgroupMemoryAlignment;
@property(readonly) NSUInteger threadgroupMemoryDataSize;
@end

@interface MTLComputePipelineReflection : NSObject {
 @private
  NSArray* bindings_;
}
@property(readonly) NSArray* bindings API_AVAILABLE(macos(13.0), ios(16.0));  // of id<MTLBinding>
@end

@interface MTLPipelineBufferDescriptor : NSObject <NSCopying> {
 @private
  MTLMutability mutability_;
}
@property(nonatomic) MTLMutability mutability;
@end

@interface MTLPipelineBufferDescriptorArray : SimDescriptorArray
- (MTLPipelineBufferDescriptor*)objectAtIndexedSubscript:(NSUInteger)index;
@end

@interface MTLComputePipelineDescriptor : NSObject <NSCopying> {
 @private
  NSString* label_;
  id<MTLFunction> computeFunction_;
  BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth_;
  NSUInteger maxTotalThreadsPerThreadgroup_;
  MTLPipelineBufferDescriptorArray* buffers_;
  NSArray* binaryArchives_;
}
@property(copy, nonatomic) NSString* label;
@property(readwrite, nonatomic, retain) id<MTLFunction> computeFunction;
@property(readwrite, nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) MTLPipelineBufferDescriptorArray* buffers;
@property(readwrite, nonatomic, copy) NSArray* binaryArchives API_AVAILABLE(macos(11.0), ios(14.0));
- (void)reset;
@end

@protocol MTLComputePipelineState <NSObject>
@property(readonly) NSString* label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@end

typedef void (^MTLNewComputePipelineStateWithReflectionCompletionHandler)(id<MTLComputePipelineState>,
                                                                          MTLComputePipelineReflection*, NSError*);

// Writes the arguments of one argument buffer where the device lays them out.
@protocol MTLArgumentEncoder <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString* label;
@property(readonly) NSUInteger encodedLength;
@property(readonly) NSUInteger alignment;
- (void)setArgumentBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void*)constantDataAtIndex:(NSUInteger)index;
@end

@interface MTLBinaryArchiveDescriptor : NSObject <NSCopying> {
 @private
  NSURL* url_;
}
@property(readwrite, nonatomic, copy) NSURL* url;
@end

extern NSString* const MTLBinaryArchiveDomain;

typedef NS_ENUM(NSUInteger, MTLBinaryArchiveError) {
  MTLBinaryArchiveErrorNone = 0,
  MTLBinaryArchiveErrorInvalidFile = 1,
  MTLBinaryArchiveErrorUnexpectedElement = 2,
  MTLBinaryArchiveErrorCompilationFailure = 3,
  MTLBinaryArchiveErrorInternalError = 4,
};

API_AVAILABLE(macos(11.0), ios(14.0))
@protocol MTLBinaryArchive <NSObject>
@property(copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor*)descriptor error:(NSError**)error;
- (BOOL)serializeToURL:(NSURL*)url error:(NSError**)error;
@end

#endif  // HALYARD_SIM_METAL_MTL_COMPUTE_PIPELINE_H_

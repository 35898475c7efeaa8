// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of Foundation that drivers/metal and Metal's headers use, as declarations alone: for compiling as for macOS,
// which GNUstep's headers cannot. Ownership is as Apple's headers promise it, so that the analyzer can follow it.
#ifndef HALYARD_MACOS13_FOUNDATION_H_
#define HALYARD_MACOS13_FOUNDATION_H_

#include <stdint.h>

typedef signed char BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
typedef struct _NSZone NSZone;
typedef NSUInteger NSStringEncoding;

#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil nullptr
#define NS_ENUM(type, name) \
  enum name : type name;    \
  enum name : type
#define NS_OPTIONS(type, name) \
  type name;                   \
  enum : type

typedef struct {
  NSUInteger location, length;
} NSRange;
static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
  NSRange range = {location, length};
  return range;
}

enum : NSStringEncoding { NSUTF8StringEncoding = 4 };

@class NSString;

@protocol NSObject
- (instancetype)retain;
- (void)release;
- (instancetype)autorelease;
- (BOOL)respondsToSelector:(SEL)selector;
- (BOOL)isKindOfClass:(Class)type;
@end

@protocol NSCopying
- (id)copyWithZone:(NSZone*)zone;
@end

@interface NSObject <NSObject>
+ (instancetype)alloc;
+ (instancetype)new;
- (instancetype)init;
- (id)copy;
@end

struct NSFastEnumerationState {
  unsigned long state;
  id* itemsPtr;
  unsigned long* mutationsPtr;
  unsigned long extra[5];
};
@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(struct NSFastEnumerationState*)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)count;
@end

@interface NSString : NSObject <NSCopying>
+ (instancetype)stringWithUTF8String:(const char*)text;
- (instancetype)initWithBytes:(const void*)bytes length:(NSUInteger)length encoding:(NSStringEncoding)encoding;
- (const char*)UTF8String;
- (BOOL)isEqualToString:(NSString*)other;
- (NSString*)stringByAppendingPathComponent:(NSString*)component;
@end

@interface NSArray : NSObject <NSFastEnumeration>
+ (instancetype)arrayWithObject:(id)object;
+ (instancetype)arrayWithObjects:(const id[])objects count:(NSUInteger)count;
- (NSUInteger)count;
- (id)objectAtIndex:(NSUInteger)index;
@end
@class NSMutableArray;

@interface NSDictionary : NSObject <NSFastEnumeration>
+ (instancetype)dictionary;
- (NSUInteger)count;
- (id)objectForKey:(id)key;
@end

@interface NSMutableDictionary : NSDictionary
- (void)setObject:(id)object forKey:(id<NSCopying>)key;
@end

@interface NSData : NSObject
+ (instancetype)dataWithBytes:(const void*)bytes length:(NSUInteger)length;
+ (instancetype)dataWithContentsOfFile:(NSString*)path;
- (BOOL)writeToFile:(NSString*)path atomically:(BOOL)atomically;
- (const void*)bytes;
- (NSUInteger)length;
@end

@interface NSProcessInfo : NSObject
+ (NSProcessInfo*)processInfo;
- (NSString*)globallyUniqueString;
- (NSString*)operatingSystemVersionString;
@end

@interface NSURL : NSObject
+ (instancetype)fileURLWithPath:(NSString*)path;
@end

@interface NSError : NSObject
- (NSInteger)code;
- (NSString*)domain;
- (NSString*)localizedDescription;
@end

@interface NSAutoreleasePool : NSObject
- (void)drain;
@end

extern "C" Class NSClassFromString(NSString* name);
extern "C" NSString* NSTemporaryDirectory(void);

#endif  // HALYARD_MACOS13_FOUNDATION_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of blocks: what makes them objects that can be copied, retained and put into collections. The names that
// clang knows are others for these classes.
#import <Foundation/Foundation.h>
#import <objc/blocks_runtime.h>

@interface HalyardBlock : NSObject
@end

@implementation HalyardBlock
- (id)copy {
  return (id)_Block_copy((const void*)self);
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return (id)_Block_copy((const void*)self);
}
// Of a block that is still in its frame, or that captures nothing, there is nothing to keep.
- (id)retain {
  return self;
}
- (oneway void)release {
}
- (NSUInteger)retainCount {
  return 1;
}
@end

@interface HalyardGlobalBlock : HalyardBlock
@end
@implementation HalyardGlobalBlock
@end

@interface HalyardStackBlock : HalyardBlock
@end
@implementation HalyardStackBlock
@end

@interface HalyardMallocBlock : HalyardBlock
@end
@implementation HalyardMallocBlock
- (id)retain {
  return (id)_Block_copy((const void*)self);
}
- (oneway void)release {
  _Block_release((const void*)self);
}
@end

#define ALIAS(name, of) \
  asm(".globl " #name "\n.type " #name ", @object\n.set " #name ", _OBJC_CLASS_" #of "\n.size " #name ", 8\n")

ALIAS(_NSConcreteGlobalBlock, HalyardGlobalBlock);
ALIAS(_NSConcreteStackBlock, HalyardStackBlock);
ALIAS(_NSConcreteMallocBlock, HalyardMallocBlock);

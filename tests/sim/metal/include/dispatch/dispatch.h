// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of libdispatch that Metal's interface needs: serial queues and immutable data. As Apple declares them.
#ifndef HALYARD_SIM_METAL_DISPATCH_H_
#define HALYARD_SIM_METAL_DISPATCH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (^dispatch_block_t)(void);
typedef struct dispatch_queue_s* dispatch_queue_t;
typedef struct dispatch_data_s* dispatch_data_t;
typedef struct dispatch_queue_attr_s* dispatch_queue_attr_t;

#define DISPATCH_QUEUE_SERIAL ((dispatch_queue_attr_t)0)
#define DISPATCH_DATA_DESTRUCTOR_DEFAULT ((dispatch_block_t)0)  // copies the bytes

dispatch_queue_t dispatch_queue_create(const char* label, dispatch_queue_attr_t attributes);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
dispatch_data_t dispatch_data_create(const void* bytes, size_t size, dispatch_queue_t queue,
                                     dispatch_block_t destructor);
size_t dispatch_data_get_size(dispatch_data_t data);
void dispatch_retain(void* object);
void dispatch_release(void* object);

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_SIM_METAL_DISPATCH_H_

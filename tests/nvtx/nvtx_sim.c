// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated libnvToolsExt, and with NVTX_SIM_TOOL a simulated tool that is injected into NVTX 3: both write down the
// ranges that they are given.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // protects what follows
static char text[1 << 16];
static size_t size;

static void Write(const char* part) {
  const size_t length = strlen(part);
  pthread_mutex_lock(&mutex);
  if (size + length < sizeof(text)) memcpy(text + size, part, length + 1), size += length;
  pthread_mutex_unlock(&mutex);
}

static int Push(const char* message) {
  Write("(");
  Write(message);
  return 0;
}

static int Pop(void) {
  Write(")");
  return 0;
}

EXPORTED const char* nvtx_sim_log(void) { return text; }

#ifdef NVTX_SIM_TOOL

// As nvtxTypes.h declares them: the tool asks for the tables of NVTX and fills in its functions.
typedef void (*function_t)(void);
typedef struct callbacks_t {
  size_t struct_size;
  int (*get_module)(uint32_t module, function_t*** out_table, unsigned* out_size);
} callbacks_t;
typedef struct version_t {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved;
  void (*set_tool_version)(uint32_t version);
} version_t;

EXPORTED int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t id)) {
  const version_t* const version = get_export_table(3);
  if (!version || version->struct_size < sizeof(*version) || version->version != 3) return 0;
  version->set_tool_version(3);
  const callbacks_t* const callbacks = get_export_table(1);
  if (!callbacks || callbacks->struct_size < sizeof(*callbacks) || get_export_table(2)) return 0;
  function_t** table = NULL;
  unsigned count = 0;
  for (uint32_t module = 1; module <= 6; ++module) {
    if (!callbacks->get_module(module, &table, &count) || !table || table[0] || table[count]) return 0;
    for (unsigned i = 1; i < count; ++i) {
      if (!table[i]) return 0;
    }
  }
  if (callbacks->get_module(0, &table, &count) || callbacks->get_module(7, &table, &count)) return 0;
  if (!callbacks->get_module(1, &table, &count) || count != 16) return 0;
  *table[9] = (function_t)Push;
  *table[11] = (function_t)Pop;
  return 1;
}

#else

EXPORTED int nvtxRangePushA(const char* message) { return Push(message); }
EXPORTED int nvtxRangePop(void) { return Pop(); }

#endif

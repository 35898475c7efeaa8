// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-lifecycle PLUGIN URI [unloaded]: opens the plugin, uses it and closes it, three times. With `unloaded` its
// code must be unloaded then, and the library's threads must have ended.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int lines_with(const char* path, const char* text) {
  FILE* const file = fopen(path, "r");
  char line[1024];
  int count = 0;
  while (file && fgets(line, sizeof(line), file)) count += strstr(line, text) != NULL;
  if (file) fclose(file);
  return count;
}

static int round_trip(const char* plugin, const char* uri, int must_go) {
  void* const library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  int (*use)(const char*) = NULL;
  if (library) *(void**)&use = dlsym(library, "use_halyard");
  if (!use) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const int failed = use(uri);
  if (failed != 0) {
    fprintf(stderr, "step %d failed\n", failed);
    return 1;
  }
  dlclose(library);
  usleep(50000);  // so that a thread that was left would run into what is not there any more
  if (!must_go) return 0;
  if (lines_with("/proc/self/maps", plugin) != 0) fprintf(stderr, "the plugin is still there\n");
  if (lines_with("/proc/self/status", "Threads:\t1\n") != 1) fprintf(stderr, "threads are left\n");
  return lines_with("/proc/self/maps", plugin) != 0 || lines_with("/proc/self/status", "Threads:\t1\n") != 1;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 0; i < 3; ++i) {
    if (round_trip(argv[1], argv[2], argc > 3) != 0) return 1;
  }
  puts("survived");
  return 0;
}

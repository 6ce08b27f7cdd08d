/* Preloaded (LD_PRELOAD), refuses one thing a process asks of the system: NEPH_REFUSED="thread 3" the third
 * start of a thread, "memory 2" the second allocation above 1 MiB. The line "PROCESS KIND NUMBER" in the file
 * $NEPH_REFUSALS tells that it was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static const size_t large = 1 << 20;
static atomic_int threads, allocations;

static int is_refused(const char* kind, atomic_int* so_far) {
  const char* wanted = getenv("NEPH_REFUSED");
  const size_t length = strlen(kind);
  if (wanted == NULL || strncmp(wanted, kind, length) != 0) return 0;
  const int number = atomic_fetch_add(so_far, 1) + 1;
  if (number != atoi(wanted + length)) return 0;
  char line[64];
  const int written = snprintf(line, sizeof line, "%d %s %d\n", getpid(), kind, number);
  const char* file = getenv("NEPH_REFUSALS");
  const int descriptor = file == NULL ? -1 : open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor >= 0) {
    if (write(descriptor, line, (size_t)written) < 0) abort();
    close(descriptor);
  }
  return 1;
}

static int has_no_memory(size_t bytes) {
  if (bytes <= large || !is_refused("memory", &allocations)) return 0;
  errno = ENOMEM;
  return 1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "pthread_create");
  return is_refused("thread", &threads) ? EAGAIN : next(thread, attributes, start, argument);
}

void* malloc(size_t bytes) { return has_no_memory(bytes) ? NULL : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) {
  return has_no_memory(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void* realloc(void* old, size_t bytes) { return has_no_memory(bytes) ? NULL : __libc_realloc(old, bytes); }

void* memalign(size_t alignment, size_t bytes) {
  return has_no_memory(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  void* const made = memalign(alignment, bytes);
  if (made == NULL) return ENOMEM;
  *memory = made;
  return 0;
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && has_no_memory(bytes)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

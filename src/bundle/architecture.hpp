// What differs between processors, for the launcher: how the kernel is asked, how a program is entered, what
// its loader is called.
#pragma once

#include <cstddef>
#include <cstdint>

#include <elf.h>

namespace neph::bundle {

#if defined(__x86_64__)

constexpr char hosts_loader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char own_loader[] = "/lib/neph/glibc/ld-linux-x86-64.so.2";
constexpr int elf_machine = EM_X86_64;

inline long ask_kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long answer = number;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "+a"(answer)
               : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return answer;
}

/// With nothing to call at exit, and no frame around it.
[[noreturn]] inline void jump(std::uint64_t entry, std::uint64_t* stack) {
  asm volatile("mov %0, %%rsp\n\txor %%edx, %%edx\n\txor %%ebp, %%ebp\n\tjmp *%1"
               :
               : "S"(stack), "D"(entry)  // none of those that are cleared
               : "rdx", "memory");
  __builtin_unreachable();
}

/// The kernel enters a program at _start, with the stack as it laid it: calls neph_launch with that.
#define NEPH_START                                                               \
  asm(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, " \
      "%rsp\n\tcall neph_launch\n\tud2\n")

#elif defined(__aarch64__)

constexpr char hosts_loader[] = "/lib/ld-linux-aarch64.so.1";
constexpr char own_loader[] = "/lib/neph/glibc/ld-linux-aarch64.so.1";
constexpr int elf_machine = EM_AARCH64;

inline long ask_kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long call asm("x8") = number;
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  register long sixth asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(first)
               : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "memory");
  return first;
}

[[noreturn]] inline void jump(std::uint64_t entry, std::uint64_t* stack) {
  register std::uint64_t* top asm("x1") = stack;  // none of those that are cleared
  register std::uint64_t target asm("x2") = entry;
  asm volatile("mov sp, %0\n\tmov x0, #0\n\tmov x29, #0\n\tmov x30, #0\n\tbr %1"
               :
               : "r"(top), "r"(target)
               : "x0", "memory");
  __builtin_unreachable();
}

#define NEPH_START asm(".globl _start\n_start:\n\tmov x29, #0\n\tmov x0, sp\n\tbl neph_launch\n\tbrk #1\n")

#endif

}  // namespace neph::bundle

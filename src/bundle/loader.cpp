#include "bundle/loader.hpp"

#include <elf.h>

namespace neph::bundle {
namespace {

/// To the kernel's pages, which are larger on some machines of an architecture than on others.
struct Pages {
  std::uint64_t bytes;
  std::uint64_t down(std::uint64_t address) const { return address & ~(bytes - 1); }
  std::uint64_t up(std::uint64_t address) const { return down(address + bytes - 1); }
};

bool begins_with(const char* text, const char* begin) {
  while (*begin != '\0')
    if (*text++ != *begin++) return false;
  return true;
}

int number_at(const char* digits, const char* end) {
  int number = 0;
  for (; digits < end && *digits >= '0' && *digits <= '9' && number < 1000; ++digits)
    number = number * 10 + (*digits - '0');
  return number;
}

int protection_of(const Elf64_Phdr& segment) {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/// What a segment has in memory beyond its file is zeros.
void clear_rest(const Elf64_Phdr& segment, std::uint64_t base, Pages pages) {
  const auto file_end = base + segment.p_vaddr + segment.p_filesz;
  const auto end = base + segment.p_vaddr + segment.p_memsz;
  if (end == file_end) return;
  for (auto at = file_end; at < pages.up(file_end); ++at) *at_address<volatile char>(at) = 0;
  if (pages.up(end) > pages.up(file_end))
    map(static_cast<long>(pages.up(file_end)), pages.up(end) - pages.up(file_end), protection_of(segment),
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
}

struct Program {
  Elf64_Ehdr header;
  Elf64_Phdr segments[32];
};

bool read_at(long file, void* target, std::size_t bytes, std::uint64_t offset) {
  return ask_kernel(SYS_pread64, file, reinterpret_cast<long>(target), static_cast<long>(bytes),
                    static_cast<long>(offset)) == static_cast<long>(bytes);
}

void read_program(long file, const char* path, Program& program) {
  auto& header = program.header;
  const bool is_program = read_at(file, &header, sizeof header, 0) &&
                          begins_with(reinterpret_cast<const char*>(header.e_ident), ELFMAG) &&
                          header.e_machine == elf_machine && header.e_type == ET_DYN &&
                          header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= 32;
  if (!is_program || !read_at(file, program.segments, header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff))
    give_up("this is no dynamic loader for this processor: ", path);
}

/// Address space for all segments, at any address.
std::uint64_t reserve(const Program& program, const char* path, Pages pages) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < program.header.e_phnum; ++i) {
    const auto& segment = program.segments[i];
    if (segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > bytes)
      bytes = segment.p_vaddr + segment.p_memsz;
  }
  const auto base = map(0, pages.up(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (is_error(base)) give_up("no memory to load ", path);
  return static_cast<std::uint64_t>(base);
}

}  // namespace

int glibc_minor_of(const char* path) {
  const auto file = open_to_read(path);
  if (is_error(file)) return 0;
  const auto size = ask_kernel(SYS_lseek, file, 0, SEEK_END);
  const auto text = size > 0 ? map(0, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file) : -1;
  ask_kernel(SYS_close, file);
  if (is_error(text)) return 0;
  constexpr char words[] = "release version 2.";
  constexpr long letters = sizeof words - 1;
  const char* const begin = at_address<const char>(static_cast<std::uint64_t>(text));
  int minor = 0;
  for (long at = 0; at + letters < size && minor == 0; ++at)
    if (begin[at] == words[0] && begins_with(begin + at, words))
      minor = number_at(begin + at + letters, begin + size);
  ask_kernel(SYS_munmap, text, size);
  return minor;
}

Loader load(const char* path, std::uint64_t page_bytes) {
  const Pages pages{page_bytes};
  const auto file = open_to_read(path);
  if (is_error(file)) give_up("the bundle is incomplete, unpack it again: cannot open ", path);
  Program program;
  read_program(file, path, program);
  const auto base = reserve(program, path, pages);
  Loader loader{.entry = base + program.header.e_entry,
                .headers = base + program.header.e_phoff,
                .count = program.header.e_phnum};
  for (int i = 0; i < program.header.e_phnum; ++i) {
    const auto& segment = program.segments[i];
    if (segment.p_type != PT_LOAD) continue;
    const auto begin = pages.down(base + segment.p_vaddr);
    const auto end = base + segment.p_vaddr + segment.p_filesz;
    const auto at = map(static_cast<long>(begin), end - begin, protection_of(segment),
                        MAP_PRIVATE | MAP_FIXED, file, pages.down(segment.p_offset));
    if (is_error(at)) give_up("its file system may not be executed (noexec): ", path);
    if ((segment.p_flags & PF_W) != 0) clear_rest(segment, base, pages);
  }
  ask_kernel(SYS_close, file);
  return loader;
}

}  // namespace neph::bundle

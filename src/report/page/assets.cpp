#include "report/page/assets.hpp"

extern "C" {
extern const char neph_charts_library[], neph_charts_library_end[];
extern const char neph_page_script[], neph_page_script_end[];
extern const char neph_page_style[], neph_page_style_end[];
extern const char neph_charts_licence[], neph_charts_licence_end[];
}

namespace neph::report {
namespace {

std::string_view between_symbols(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view charts_library() { return between_symbols(neph_charts_library, neph_charts_library_end); }
std::string_view page_script() { return between_symbols(neph_page_script, neph_page_script_end); }
std::string_view page_style() { return between_symbols(neph_page_style, neph_page_style_end); }
std::string_view charts_licence() { return between_symbols(neph_charts_licence, neph_charts_licence_end); }

}  // namespace neph::report

// How a provider's machine is released so that it stops to cost: releases/PROVIDER.sh, a function of sh with
// a head of TOML in its comments. Only for files of this module; others include script/script.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::script {

struct Release {
  std::string name;  ///< of the file: the provider
  std::string text;  ///< all of the file
  std::string title;
  std::string ends;
  std::vector<std::string> also, variables, read;
  std::string program, package;
  std::string sky, needs, date;
};

template <class Visit, Describes<Release> Self>
void describe(Visit&& v, Self& s) {
  v("title", s.title, "the provider, and what is done");
  v("ends", s.ends, "what ends the bill at the least, as rules have it (release); nothing: not rented");
  v("also", s.also, "other names of the provider");
  v("sky", s.sky, "what SkyPilot calls the provider; empty: it does not know it");
  v("variables", s.variables, "without which nothing is released, where nobody has logged in");
  v("program", s.program, "without which nothing is released");
  v("package", s.package, "that has it, in systems like Debian");
  v("needs", s.needs, "what must be there, for people");
  v("read", s.read, "where it was read");
  v("date", s.date, "when it was read");
}

/// Errors: invalid_argument (no head, an unknown key, no title, no function release_machine or can_release).
Result<Release> parse_release(std::string_view name, std::string_view text);
/// Those that are built in, by name.
const std::vector<Release>& built_in_releases();
/// Errors: not_found, which says how to do without.
Result<Release> find_release(std::string_view name);

}  // namespace neph::script

#include <gmock/gmock.h>

#include "data/archives_test.hpp"
#include "data/data.hpp"
#include "data/scratch_test.hpp"

namespace neph::data {
namespace {

// Attention: queries meet keys, and what they find is a mixture of the values.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// Queries, keys or values with their heads apart: [batch, heads, length, features].
struct Heads {
  std::int64_t batch = kUnknown, heads = kUnknown, length = kUnknown, features = kUnknown;
};

/// Of [batch, heads, length, features], or of [batch, length, heads x features] with the number of heads
/// stated.
Result<Heads> heads_of(const MaybeShape& shape, std::int64_t heads) {
  if (!shape) return Heads{.heads = heads > 0 ? heads : kUnknown};
  if (shape->size() == 4)
    return Heads{.batch = (*shape)[0], .heads = (*shape)[1], .length = (*shape)[2], .features = (*shape)[3]};
  if (shape->size() != 3)
    return fail(ErrorCode::corrupt, "{} has no batch, length and features", to_string(*shape));
  Heads all{.batch = (*shape)[0], .heads = heads > 0 ? heads : kUnknown, .length = (*shape)[1]};
  if (all.heads == kUnknown || (*shape)[2] == kUnknown) return all;
  if ((*shape)[2] % heads != 0)
    return fail(ErrorCode::corrupt, "{} features are not shared evenly by {} heads", (*shape)[2], heads);
  all.features = (*shape)[2] / heads;
  return all;
}

std::int64_t known_sum(std::int64_t a, std::int64_t b) {
  return a == kUnknown || b == kUnknown ? kUnknown : a + b;
}

Result<std::int64_t> known_product(const Shape& factors) {
  return is_known(factors) ? element_count(factors) : Result<std::int64_t>(kUnknown);
}

/// Each query is multiplied with each key, and what it gives with each value.
Result<std::optional<std::int64_t>> attention_macs(const Heads& q, std::int64_t keys, const Heads& k,
                                                   const Heads& v) {
  const Shape each{q.batch, q.heads, q.length, keys, known_sum(k.features, v.features)};
  if (!is_known(each)) return std::optional<std::int64_t>();
  NEPH_TRY(const auto macs, element_count(each));
  return std::optional(macs);
}

/// Attention of queries, keys, values, a mask, and the keys and values of earlier calls; with the latter it
/// makes them anew, and on demand the product of queries and keys. A cache that is handed in as a whole
/// (operator set 24: with the number of those valid) is no longer than the keys are.
Result<Effect> attention(const Call& call) {
  NEPH_TRY(const auto q, heads_of(call.shape(0), call.integer("q_num_heads", 0)));
  NEPH_TRY(const auto k, heads_of(call.shape(1), call.integer("kv_num_heads", 0)));
  NEPH_TRY(const auto v, heads_of(call.shape(2), call.integer("kv_num_heads", 0)));
  std::int64_t keys = k.length;
  if (call.has(4)) {
    NEPH_TRY(const auto past, heads_of(call.shape(4), 0));
    keys = known_sum(keys, past.length);
  }
  const int type = call.input(0).type;
  MaybeShape result;
  if (const auto& shape = call.shape(0); shape && shape->size() == 3) {
    NEPH_TRY(const auto features, known_product({q.heads, v.features}));
    result = Shape{q.batch, q.length, features};
  } else if (shape) {
    result = Shape{q.batch, q.heads, q.length, v.features};
  }
  Effect effect;
  NEPH_TRY(effect.macs, attention_macs(q, keys, k, v));
  effect.outputs = {{.shape = std::move(result), .type = type},
                    {.shape = Shape{k.batch, k.heads, keys, k.features}, .type = call.input(1).type},
                    {.shape = Shape{v.batch, v.heads, keys, v.features}, .type = call.input(2).type},
                    {.shape = Shape{q.batch, q.heads, q.length, keys}, .type = type}};
  return effect;
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"Attention", Kind::product, attention, kNone},
    Operator{"RotaryEmbedding", Kind::elementwise, same, kNone},
};

}  // namespace

std::span<const Operator> attention_operators() { return kOperators; }

}  // namespace neph::net

// One row of a price list after the other becomes an offer, or a finding. Only for files of this module;
// others include price/price.hpp.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "price/offers/catalogue.hpp"
#include "price/offers/headings.hpp"

namespace neph::price {

class ListReader {
 public:
  ListReader(Catalogue& catalogue, const Headings& headings, std::size_t expected_rows);

  /// Cells are as many as headings.
  void take(const std::vector<std::string_view>& cells, std::int64_t line);
  void find(Flaw flaw, std::int64_t line, std::string what);

 private:
  Offer offer_of(const std::vector<std::string_view>& cells, std::int64_t line);
  void read_currency(Offer& offer, std::string_view currency);
  void read_date(Offer& offer, std::string_view date);
  void check_gpu_of_table(std::int64_t line, const std::vector<std::string_view>& cells);
  void read_gpu(Offer& offer, const std::vector<std::string_view>& cells);
  void read_prices(Offer& offer, const std::vector<std::string_view>& cells);
  void read_spot(std::string_view cell, bool has_price, Offer& offer);
  std::optional<double> number(std::string_view cell, std::string_view what, std::int64_t line);
  void take_cluster(Offer offer, const std::vector<std::string_view>& cells);
  void keep(Offer offer, bool is_spot_row);
  const std::string& key_of(const Offer& offer);

  Catalogue& catalogue_;
  const Headings& headings_;
  Offer blank_;               ///< what all rows have in common
  bool is_left_out_ = false;  ///< the row that is read
  std::string key_;
  std::unordered_map<std::string, std::size_t> known_;  ///< place of the first offer of a key
};

/// The count's and the name's flaws of an offer with GPUs, and of one that should have some.
void check_gpus(const Offer& offer, std::vector<Finding>& findings);

}  // namespace neph::price

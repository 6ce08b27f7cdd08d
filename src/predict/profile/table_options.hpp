// What is asked of a table of measurements before anything is predicted from it: where it is, what its
// columns mean.
#pragma once

#include <string>
#include <vector>

#include "predict/ensemble/model.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {

struct TableOptions {
  std::string table;
  std::int64_t experiment = 0;
  std::string target;
  std::string network;
  std::string variants;
  std::string side;
  std::string batch;
  std::string machine;
  std::string machines;
  std::string ignore;
  std::string use;
  std::int64_t most_points = ProfileOptions{}.most_points;
  std::vector<std::string> term;
  std::vector<std::string> latency_term;
  std::string scale;
};

template <class Visit, Describes<TableOptions> Self>
void describe(Visit&& v, Self& s) {
  v("table", s.table, "CSV or JSON lines with a heading, one row is one measurement; or a store, neph.db");
  v("experiment", s.experiment,
    "of a store, by its number (neph runs): a row is a run; columns are its factors, and of its machine "
    "provider, instance_type, processor, cores, memory_bytes, gpu and gpus; 0: the newest",
    at_least(0));
  v("target", s.target, "the column to predict, with or without the unit in its heading");
  v("network", s.network,
    "column with networks' names, or their ONNX files: their layers tell what they ask for");
  v("variants", s.variants,
    "family of networks that goes first: 'profet' takes ResNet50 for profet-resnet50");
  v("side", s.side, "column with the side of the images in pixels");
  v("batch", s.batch,
    "column with the images of a batch; with --network the only number with 'batch' in its name");
  v("machine", s.machine,
    "column with names of devices or machines, however they are spelled (neph host --devices); without it "
    "the "
    "column of text that names such");
  v("machines", s.machines,
    "TOML file of devices and machines beside those that are built in, as examples/machines.toml: their data "
    "sheets predict a machine without a row");
  v("ignore", s.ignore, "columns that are not looked at, with commas between");
  v("use", s.use, "columns that are features though they do not look so, with commas between");
  v("most_points", s.most_points,
    "different rows that are fitted to; of more a draw, with a row of each level at least", at_least(20));
  v("term", s.term,
    "work that a time is made of, as 'batch*side^2'; again for more, or with commas between: the largest "
    "rules or all add up");
  v("latency_term", s.latency_term, "the same of what always adds: waiting, messages, launches");
  v("scale", s.scale, "multiplies all of them");
}

/// "a, b,c" as three names.
std::vector<std::string> names_in(const std::string& list);

/// Reads and surveys the table. Errors: those of read_table and profile, and a target that was not given.
Result<Profile> profile_of(const TableOptions& options);

/// Where no batch was named beside a network, the only column that speaks of one. Errors: those of
/// read_sheets, and sheets of machines that no column names.
Result<Roles> roles_in(const TableOptions& options, const Profile& profile);

}  // namespace neph::predict

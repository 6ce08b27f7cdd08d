// neph: how fast will a neural network run on this machine, why, and what will it cost?
#include "cli/command.hpp"
#include "cli/verbs.hpp"
#include "cli/version.hpp"
#include "os/thread.hpp"

int main(int count, char** arguments) {
  using namespace neph::cli;
  neph::end_by_uncaught();
  const auto declare = [count, arguments](Command& neph) {
    neph.verb("infer", "measure how fast a model answers, and why not faster", declare_infer);
    neph.verb("train", "measure how fast a network learns, on how many cores, and how long a training takes",
              is_train_command(count, arguments) ? declare_train_command : declare_train);
    neph.verb("serve", "put models behind HTTP and gRPC", declare_serve);
    neph.verb("load", "send requests to an inference server, and measure what comes back", declare_load);
    neph.verb("ready", "check or wait for a server's readiness", declare_ready);
    neph.verb("run", "measure what an experiment's TOML file says", declare_run);
    neph.verb("script", "an experiment as a script for a rented machine, which it releases", declare_script);
    neph.verb("report", "one HTML page of an experiment", declare_report);
    neph.verb("export", "an experiment as CSV, JSON or Markdown", declare_export);
    neph.verb("runs", "experiments and runs in the store", declare_runs);
    neph.verb("show", "the table of an experiment, or everything about one run", declare_show);
    neph.verb("compare", "is it slower than yesterday? Two results, with a verdict and an exit code",
              declare_compare);
    neph.verb("ab", "two commands in turns until it is decided which is better", declare_ab);
    neph.verb("history", "a metric over all experiments of a store, and where it changed", declare_history);
    neph.verb("fit", "learn from a table of measurements to predict what was not measured", declare_fit);
    neph.verb("predict", "predict rows that were not measured, with intervals", declare_predict);
    neph.verb("validate", "how well methods predict parts of a table from the rest", declare_validate);
    neph.verb("bill", "what time on a machine costs, line by line", declare_bill);
    neph.verb("price", "what machines cost, what is wrong in price lists, and how providers bill",
              declare_price);
    neph.verb("advise", "which machine to rent, how many cores, GPU or not, by what was measured",
              declare_advise);
    neph.verb("net", "a network's layers, parameters and operations", declare_net);
    neph.verb("profile", "where the time of an inference goes, layer by layer", declare_profile);
    neph.verb("images", "check, prepare or make image sets", declare_images);
    neph.verb("host", "what this machine is", declare_host);
    neph.verb("engines", "what can run models here, and why others cannot", declare_engines);
    neph.verb("demo", "a short tour on this machine that ends with a report", declare_demo);
    neph.verb("worker", "", declare_worker);
    neph.verb("try-model", "", declare_try_model);
    neph.footer(
        "First steps:\n"
        "  neph images synth photos --count 200\n"
        "  neph infer resnet50 --images photos --batch 1,8 --repeat 5\n"
        "  neph report\n"
        "Lists and ranges (1,2,4 or 1..64*2) make factors: every combination is measured. neph VERB --help "
        "explains.");
  };
  return run_command_line(
      count, arguments,
      "How fast does a neural network run on this machine, why not faster, and how sure is that?", version,
      declare);
}

// The verbs of neph, each declared in a file of its own. A new verb is one file, one line here and one in
// main.cpp.
#pragma once

namespace neph::cli {

class Command;

void declare_infer(Command& command);
void declare_train(Command& command);
/// The same verb, where a command is given to it.
void declare_train_command(Command& command);
bool is_train_command(int count, char** arguments);
void declare_serve(Command& command);
void declare_ready(Command& command);
void declare_load(Command& command);
void declare_run(Command& command);
void declare_script(Command& command);
void declare_report(Command& command);
void declare_export(Command& command);
void declare_runs(Command& command);
void declare_show(Command& command);
void declare_compare(Command& command);
void declare_ab(Command& command);
void declare_history(Command& command);
void declare_fit(Command& command);
void declare_predict(Command& command);
void declare_validate(Command& command);
void declare_bill(Command& command);
void declare_price(Command& command);
void declare_price_list(Command& command);
void declare_price_lint(Command& command);
void declare_advise(Command& command);
void declare_net(Command& command);
void declare_profile(Command& command);
void declare_images(Command& command);
void declare_host(Command& command);
void declare_engines(Command& command);
void declare_demo(Command& command);
void declare_worker(Command& command);
void declare_try_model(Command& command);

}  // namespace neph::cli

write_spec() {
  printf '%s\n' \
#: spec
    >"$home/experiment.toml"
}

step_learn() { # a run that was cut off goes on with the runs that are missing
  act write_spec
  act in_folder "$home/work" "$neph" run "$home/experiment.toml" --store "$home/neph.db" --resume
}

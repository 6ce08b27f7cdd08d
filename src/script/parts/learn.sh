write_spec() {
  cat >"$home/experiment.toml" <<'END_OF_SPEC'
#: spec
END_OF_SPEC
}

step_learn() { # a run that was cut off goes on with the runs that are missing
  act write_spec
  act in_folder "$home/work" "$neph" run "$home/experiment.toml" --store "$home/neph.db" --resume
}

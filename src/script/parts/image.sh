docker=docker
has docker || ! has podman || docker=podman

in_image() { # neph of the image, with the folder of all this at its own place
  act as_root "$docker" run --rm --user "$(id -u):$(id -g)" --volume "$home:$home" --workdir "$home/work" \
    --env "NEPH_ENGINE_PATH=$home/python" ${gpu_option:+"$gpu_option"} \
#: volumes
    "$image" "$@"
}

step_image() {
  if ! has docker && ! has podman; then
    if has apt-get; then act install_packages docker.io; else act install_packages docker || act install_packages podman; fi
    has docker || docker=podman
  fi
  [ "$docker" = podman ] || act as_root systemctl start docker || act as_root service docker start || :
  get_image
  act as_root "$docker" run --rm "$image" --version
}

export NEPH_ENGINE_PATH="$home/python"

step_runtime() { # what the engines run on
  has python3 || act install_packages python3
  python3 -m pip --version >/dev/null 2>&1 || act install_packages python3-pip
#: packages
}

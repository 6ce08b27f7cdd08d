# As NVIDIA's guide says, https://docs.nvidia.com/datacenter/tesla/driver-installation-guide, read 2026-11-25; Debian and
# Ubuntu have it in their own archives.
step_driver() {
  if has nvidia-smi && nvidia-smi >/dev/null; then return; fi # images of providers have it
  if in_container && [ ! "$dry" ]; then fail 'no GPU is seen, and a container has the driver of its host'; fi
  # shellcheck source=/dev/null
  . /etc/os-release
  case $ID in
    ubuntu)
      need ubuntu-drivers ubuntu-drivers-common
      act as_root ubuntu-drivers install --gpgpu
      ;;
    debian)
      for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
        [ ! -e "$list" ] || act as_root sed -i -e 's/^Components:.*/Components: main contrib non-free non-free-firmware/' \
          -e '/^deb.*debian/s/ main.*/ main contrib non-free non-free-firmware/' "$list"
      done
      act install_packages "linux-headers-$(uname -r)" nvidia-driver nvidia-smi
      ;;
    *)
      act as_root dnf -q -y install dnf-plugins-core "kernel-devel-$(uname -r)"
      act as_root dnf -q config-manager --add-repo \
        "https://developer.download.nvidia.com/compute/cuda/repos/$(repository_of_nvidia)/x86_64/cuda-$(repository_of_nvidia).repo"
      act as_root dnf -q -y module install nvidia-driver:latest-dkms || act install_packages nvidia-open
      ;;
  esac
  act as_root modprobe nvidia
  act nvidia-smi
}

repository_of_nvidia() {
  case $ID in
    amzn) echo "amzn$VERSION_ID" ;;
    fedora) echo "fedora$VERSION_ID" ;;
    *) echo "rhel${VERSION_ID%%.*}" ;;
  esac
}

neph=$home/neph/bin/neph # from the bundle, or the one that was here already
[ -x "$neph" ] || ! has neph || neph=neph

step_bundle() {
  need tar
  need gzip
  get_bundle "$home/bundle.tar.gz"
  if [ ! -e "$home/bundle.tar.gz" ] && [ ! "$dry" ]; then
    has "$neph" || fail 'there is no neph: put the bundle beside this file, or say by --bundle from where it comes'
    "$neph" --version
    return
  fi
  act rm -rf "$home/neph.new"
  act mkdir "$home/neph.new"
  act tar -xzf "$home/bundle.tar.gz" -C "$home/neph.new" --strip-components 1
  act rm -rf "$home/neph"
  act mv "$home/neph.new" "$home/neph"
  act "$home/neph/bin/neph" --version
}

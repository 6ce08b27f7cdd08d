unpack() { # unpack ARCHIVE FOLDER
  mkdir -p "$2" && tar -xf "$1" -C "$2" && rm "$1"
}

find_or_bring() { # find_or_bring PATH: what the experiment reads; from beside this file, where it is not there yet
  case $1 in /*) there=$1 ;; *) there=$home/work/$1 ;; esac
  [ -e "$there" ] && return
  [ -e "$(beside "$1")" ] || [ "$dry" ] || fail "$1: the experiment reads it; put it beside run.sh, or say from where it comes by --data"
  act mkdir -p "$(dirname "$there")"
  act cp -R "$(beside "$1")" "$there"
}

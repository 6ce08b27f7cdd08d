bring() { # bring PATH KIND FROM PORT [unpacked]: whole or not at all; of what is cut off, PATH.part is left
  [ ! -e "$1" ] || return 0
  "ready_$2" && act mkdir -p "$(dirname "$1")" && act rm -rf "$1.part" && "get_$2" "$3" "$1.part" "$4" &&
    { [ ! "${5:-}" ] || act unpack "$1.part"; } && act mv "$1.part" "$1"
}

unpack() { # unpack ARCHIVE: it becomes the folder of what is in it
  rm -rf "$1.new" && mkdir "$1.new" && tar -xf "$1" -C "$1.new" && rm "$1" && mv "$1.new" "$1"
}

find_or_bring() { # find_or_bring PATH: what the experiment reads; from beside this file, where it is not there yet
  case $1 in /*) there=$1 ;; *) there=$home/work/$1 ;; esac
  there=${there%/}
  [ ! -e "$there" ] || return 0
  [ -e "$(beside "$1")" ] || [ "$dry" ] || fail "$1: the experiment reads it; put it beside run.sh, or say from where it comes by --data"
  bring "$there" path "$(beside "$1")" ''
}

bring_if_beside() { # bring_if_beside PATH: a word of the command that was a file where this was made, and may be none here
  [ ! -e "$(beside "$1")" ] || find_or_bring "$1"
}

bring_dataset() { # bring_dataset NAME: systems like Debian have it as a package
  [ ! -e "/usr/share/datasets/$1" ] || return 0
  has apt-get || [ "$dry" ] || fail "$1: only Debian and its like have it as a package: take another image of the machine, or a folder by --data"
  act install_packages "dataset-$1"
}

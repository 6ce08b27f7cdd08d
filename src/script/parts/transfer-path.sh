ready_path() { :; }

get_path() { # get_path FILE_OR_FOLDER TO
  act cp -R "$1" "$2"
}

put_path() { # put_path FILE FOLDER: whole, or not at all
  act mkdir -p "$2" && act cp "$1" "$2/${1##*/}.part" && act mv "$2/${1##*/}.part" "$2/${1##*/}"
}

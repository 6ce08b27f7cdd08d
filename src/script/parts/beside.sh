beside() { # beside NAME: the path of what was put beside this file
  { read -r folder <"$home/beside"; } 2>/dev/null || folder=$(dirname "$0")
  printf '%s\n' "$folder/$1"
}

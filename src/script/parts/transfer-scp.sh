ready_scp() {
  if has apt-get; then need scp openssh-client; else need scp openssh-clients; fi
}

by_ssh() { # by_ssh PROGRAM ...: which asks nobody, and waits for nobody who is gone
  program=$1
  shift
  act "$program" -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=30 -o ServerAliveInterval=30 "$@"
}

get_scp() { # get_scp HOST:PATH FILE PORT
  by_ssh scp -q -r -P "$3" "$1" "$2"
}

put_scp() { # put_scp FILE HOST:PATH PORT
  by_ssh ssh -p "$3" "${2%%:*}" mkdir -p "$(quoted "${2#*:}")" && by_ssh scp -q -P "$3" "$1" "$2/"
}

quoted() { printf "'%s'\n" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; } # for the shell there

ready_scp() {
  if has apt-get; then need scp openssh-client; else need scp openssh-clients; fi
}

get_scp() { # get_scp HOST:PATH FILE PORT
  act scp -q -r -B -o StrictHostKeyChecking=accept-new -P "$3" "$1" "$2"
}

put_scp() { # put_scp FILE HOST:PATH PORT
  act ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -p "$3" "${2%%:*}" mkdir -p "$(quoted "${2#*:}")" &&
    act scp -q -B -o StrictHostKeyChecking=accept-new -P "$3" "$1" "$2/"
}

quoted() { printf "'%s'\n" "$(printf '%s' "$1" | sed "s/'/'\\\\\\\\''/g")"; } # for the shell there

ready_https() { need curl; }

get_https() { # get_https URL FILE
  act curl -fsSL --connect-timeout 30 --speed-limit 1 --speed-time 120 -o "$2" "$1"
}

put_https() { # put_https FILE URL: below that address. $NEPH_PUT_HEADER: what the server wants to see, "Authorization: ..."
  { [ ! "${NEPH_PUT_HEADER:-}" ] || curl_header "$NEPH_PUT_HEADER"; } |
    act curl -fsS --connect-timeout 30 --speed-limit 1 --speed-time 120 -K - -o /dev/null \
      --upload-file "$1" "$(below "$2" "${1##*/}")"
}

below() { # below URL NAME: before what stands behind a question mark
  address=${1%%\?*}
  printf '%s\n' "${address%/}/$2${1#"$address"}"
}

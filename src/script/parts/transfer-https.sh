ready_https() { need curl; }

get_https() { # get_https URL FILE
  act curl -fsSL --connect-timeout 30 -o "$2" "$1"
}

put_https() { # put_https FILE URL: below that address. $NEPH_PUT_HEADER: what the server wants to see, "Authorization: ..."
  act curl -fsS --connect-timeout 30 -o /dev/null ${NEPH_PUT_HEADER:+--header "$NEPH_PUT_HEADER"} \
    --upload-file "$1" "$(below "$2" "${1##*/}")"
}

below() { # below URL NAME: before what stands behind a question mark
  address=${1%%\?*}
  echo "${address%/}/$2${1#"$address"}"
}

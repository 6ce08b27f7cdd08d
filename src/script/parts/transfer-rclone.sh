ready_rclone() { need rclone; } # who may, the machine's role or rclone's variables tell: RCLONE_S3_ENDPOINT, ...

get_rclone() { # get_rclone REMOTE FILE
  act rclone copyto "$1" "$2"
}

put_rclone() { # put_rclone FILE REMOTE
  act rclone copyto "$1" "${2%/}/${1##*/}"
}

ready_rclone() { # who may, the machine's role or rclone's variables tell: RCLONE_S3_ENDPOINT, ...
  need rclone || fail 'there is no rclone among the packages of this system: install it first, or take an image that has it'
}

get_rclone() { # get_rclone REMOTE FILE
  act rclone copyto "$1" "$2"
}

put_rclone() { # put_rclone FILE REMOTE
  act rclone copyto "$1" "${2%/}/${1##*/}"
}

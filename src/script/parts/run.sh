#!/bin/sh
#: about
#
# It asks for the machine's release at the end, when a step fails, when this shell is ended or killed, and when time or
# money is up. What it does in which order stands at the end of the file, in do_all.
#
#   sh run.sh              does all steps; those that have ended are not done again
#   sh run.sh --dry-run    prints each step and does none
#   sh run.sh --release    only asks for the release
#   sh run.sh --check      looks whether the release can be asked for, and asks for none
#
# Keep it as a file: it starts itself again for each step, and as a guard that outlives it. A connection that breaks ends
# it too; "nohup sh run.sh &" stays.
# shellcheck disable=SC1003,SC2016,SC2034 # what others wrote is meant as it stands, and may have one line
set -u
export LC_ALL=C
export PATH="${PATH:-}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
export no_proxy="169.254.169.254,169.254.42.42,metadata.google.internal,${no_proxy:-}"

## What is asked for, in words that hold no code: of what cannot be printed, each byte is told by its number

dry='' newline='
'
[ "${1:-}" != --dry-run ] || dry=1 newline='\012'
byte() { if [ "$dry" ]; then printf '\\%s' "$1"; else printf '%b' "\\0$1"; fi; } # byte OCTAL

#: values
home=${NEPH_HOME:-${HOME:-/root}}/neph-$name # all that it keeps: neph.db, marks.jsonl, run.log, a stamp for each step
self=$home/run.sh                            # a copy: nobody changes it while it runs
log=$home/run.log
step='' step_begun='' guard='' guard_begun='' # processes, and when they began
hurry=${NEPH_HURRY:-} # one try of everything
pauses='2 10 30'      # between tries
rescue_s=120          # before a limit, for saving what there is
reserve_s=70          # and for the end of the step, and until the provider has released it

#: release
## Words

has() { command -v "$1" >/dev/null 2>&1; }

printable() { tr -c '\011\012\040-\176' '?'; } # names and logs may hold what steers a terminal

say() {
  line=$(printf '%s %s' "$(date -u +%H:%M:%S)" "$*" | printable)
  printf '%s\n' "$line"
  { [ -d "$home" ] && printf '%s\n' "$line" >>"$log"; } 2>/dev/null || :
}

fail() {
  printf '%s\n' "$*" | printable >&2
  exit 1
}

cannot_write() { fail "cannot write in $home: is the disk full?"; }

act() { # act COMMAND...: does it, or prints it
  if [ "$dry" ]; then printf '   %s\n' "$*" >&3; else "$@"; fi
}

again() { # again COMMAND...: some tries; one where time is short
  for pause in $pauses end; do
    "$@" && return
    result=$?
    if [ "$pause" = end ] || [ "$hurry" ]; then return "$result"; fi
    echo "failed, again in $pause s: $1" >&2 # no more of it: addresses may be signed
    sleep "$pause"
  done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

install_packages() { # of systems like Debian, and like Red Hat
  if has apt-get; then
    again as_root apt-get -qq -o DPkg::Lock::Timeout=300 update
    again as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
      --no-install-recommends install "$@"
  elif has dnf; then
    again as_root dnf -q -y install "$@"
  elif has yum; then
    again as_root yum -q -y install "$@"
  else
    fail "$* must be installed, and here is neither apt-get nor dnf nor yum"
  fi
}

need() { # need COMMAND [PACKAGE]
  has "$1" || act install_packages "${2:-$1}"
}

request() { # request METHOD URL BODY [HEADER...]: the answer of a server of the provider
  method=$1 url=$2 body=$3
  shift 3
  if [ "$dry" ]; then
    echo "   asks $method $url" >&3
    echo "ANSWER"
    return
  fi
  if has curl; then
    headers=$(for header in "$@"; do curl_header "$header"; done)
    set --
    [ "$method" != POST ] || set -- --data-raw "$body"
    printf '%s\n' "$headers" | curl -fsS --connect-timeout 3 --max-time 30 -K - -X "$method" "$@" "$url"
  else
    for header in "$@"; do
      set -- "$@" --header "$header"
      shift
    done
    [ "$method" != POST ] || set -- "$@" --body-data "$body"
    wget -q -O - --tries 1 --connect-timeout 3 --timeout 30 --method "$method" "$@" "$url"
  fi
}

curl_header() { # curl_header TEXT: as a line for curl's -K, since all processes can read its arguments
  printf 'header = "%s"\n' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

field() { # field NAME: its text in the JSON that comes in
  if [ "$dry" ]; then cat; else sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' | head -n 1; fi
}

of_the_first_process() { # of_the_first_process VARIABLE: containers of providers tell only that one who they are
  { tr '\0' '\n' </proc/1/environ | sed -n "s/^$1=//p"; } 2>/dev/null
}

power_off() { act as_root systemctl poweroff || act as_root poweroff || act as_root shutdown -h now; }

## From where, to where

#: transfers
## The steps

#: steps
step_ready() { # what the end needs is there, and a first small file gets to where the results go
  hurry=1
  ready_for_release || echo 'what asks the provider for the release could not be installed' >&2
  hurry=${NEPH_HURRY:-}
  act write_begun
  ready_for_results
  again put_result "$home/begun.txt"
}

write_begun() { echo "$name begun, $(date -u)" >"$home/begun.txt" || cannot_write; }

step_save() {
  pauses='2 10 30 60 120 300 600 900 900' # for most of an hour: there is no other copy
  [ "$hurry" ] || act "$neph" report --store "$home/neph.db" --out "$home/report.html" || echo 'no page' >&2
  act write_marks
  ready_for_results
  for file in neph.db report.html marks.jsonl run.log; do save_file "$home/$file"; done
#: saved
}

save_file() { # save_file FILE: to where the results go, where there is one
  if [ -e "$1" ] || [ "$dry" ]; then again put_result "$1"; fi
}

step_marks() { # again, since saving has a mark of its own now
  act write_marks
  again put_result "$home/marks.jsonl"
}

in_folder() { # in_folder FOLDER COMMAND...
  cd "$1" || return
  shift
  "$@"
}

## Marks: when each stage began and ended, in seconds since 1970

uptime_s() {
  read -r up _ </proc/uptime
  echo "${up%.*}"
}

know_boot() { # when the kernel was started, and which start that was; a container has lives of its own
  while read -r key value _; do [ "$key" != btime ] || boot=$value; done </proc/stat
  { read -r boot_id </proc/sys/kernel/random/boot_id; } 2>/dev/null || boot_id=$boot
  begin_of 1
  life=$boot_id:$ticks
}

now() { # boot and uptime: a clock that is set meanwhile moves no mark
  read -r up _ </proc/uptime
  echo "$((boot + ${up%.*})).${up#*.}"
}

write_marks() {
  cat "$home"/done/*.step 2>/dev/null | grep -v '"stage":""' | sort -t , -k 2,2 >"$home/marks.jsonl"
}

ended() { [ -e "$home/done/$1.step" ]; }

end_of() { # end_of STEP STAGE BEGIN END: its stamp, which is its mark too; written at once or not at all
  printf '{"stage":"%s","begin_s":%s,"end_s":%s,"step":"%s"}\n' "$2" "$3" "$4" "$1" >"$home/done/$1.new" || cannot_write
  mv "$home/done/$1.new" "$home/done/$1.step" || cannot_write
}

mark_boot() { # from the start of the kernel until the system was ready, or until this file ran
  ended "boot-$boot_id" && return
  if in_container; then
    say 'boot: absent, this is a container'
    return
  fi
  ready=
  [ ! -d /run/systemd/system ] || ready=$(systemctl show --property=FinishTimestampMonotonic --value) || :
  case $ready in
    '' | 0 | *[!0-9]*) ready=$(now) ;;
    *) ready=$((boot + ready / 1000000)).00 ;;
  esac
  end_of "boot-$boot_id" boot "$boot.00" "$ready"
}

in_container() { # the first process of a machine begins with its kernel
  begun_1=${life##*:}
  [ "${begun_1:-0}" -gt 200 ]
}

## Processes

begin_of() { # begin_of PROCESS: its begin in ticks since the boot, as $ticks; false where it has ended
  ticks=
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return
  # shellcheck disable=SC2086 # words; a here-document would need room in /tmp
  set -- ${line##*) }
  ticks=${20}
  [ "$1" != Z ]
}

runs() { # runs PROCESS TICKS: that one, and no later one of the same number
  begin_of "$1" && [ "$ticks" = "$2" ]
}

end_step() { # the step in progress with all that it started: neph ends its run at the second word
  { read -r pid begun of_life <"$home/step"; } 2>/dev/null || { pid=$step begun=$step_begun of_life=$life; }
  if [ ! "$pid" ] || [ "$of_life" != "$life" ]; then return 0; fi # after a restart its number is somebody else's
  for signal in TERM TERM KILL; do
    runs "$pid" "$begun" || break
    kill -s "$signal" -- "-$pid" 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
      runs "$pid" "$begun" || break
      sleep 0.2
    done
  done
  kill -s KILL -- "-$pid" 2>/dev/null
  step=''
  rm -f "$home/step"
}

do_step() { # do_step STEP STAGE
  if [ "$dry" ]; then
    echo "$1"
    (the_step "$1")
    return
  fi
  ended "$1" && return
  runs "$guard" "$guard_begun" || start_guard
  say "$1"
  begin=$(now)
  setsid sh "$self" --step "$1" </dev/null >>"$log" 2>&1 &
  step=$!
  begin_of "$step"
  step_begun=$ticks
  wait "$step"
  code=$?
  step=''
  if [ "$code" != 0 ]; then
    say "$1 failed with exit code $code:"
    tail -n 15 "$log" | printable
    exit "$code"
  fi
  rm -f "$home/step"
  end_of "$1" "$2" "$begin" "$(now)"
}

one_step() { # in a process and a session of its own
  begin_of $$
  echo "$$ $ticks $life" >"$home/step"
  set -e
  the_step "$1"
}

the_step() {
  case $1 in
    ready) step_ready ;;
#: cases
    *) fail "there is no step $1" ;;
  esac
}

#: end
## All of it

do_all() {
  trap finish EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  if { read -r pid begun <"$home/main"; } 2>/dev/null && runs "$pid" "$begun"; then
    trap - EXIT # that one releases it
    fail "it runs already, as process $pid"
  fi
  begin_of $$
  main_begun=$ticks
  set_limits
  mkdir -p "$home/done" "$home/work" || cannot_write
  chmod 700 "$home" || cannot_write # addresses in it may be signed
  copy_self || cannot_write
  if { read -r pid begun <"$home/guard"; } 2>/dev/null && runs "$pid" "$begun"; then
    kill -s KILL -- "-$pid" # of an earlier start
  fi
  rm -f "$home/released"
  start_guard
  end_step
  [ "$limit_s" = 0 ] || say "released after $limit_s s at the latest; $spent s of them are paid already"
  warn_of_results
  mark_boot
  in_order
  say 'all steps have ended'
}

copy_self() { # and where it lay, for what was put beside it
  cp "$0" "$self.new" && mv "$self.new" "$self" && echo "$$ $main_begun" >"$home/main" || return
  folder=$(cd "$(dirname "$0")" && pwd)
  [ "$folder" = "$home" ] || echo "$folder" >"$home/beside"
}

print_all() {
  exec 3>&1
  echo "in $home"
  if in_container; then echo 'boot: absent, this is a container'; else echo "boot: began $(date -u -d "@$boot")"; fi
  in_order
  set_limits
  echo "release: $release_title"
  [ "$limit_s" = 0 ] || echo "   $((limit_s - spent)) s from now at the latest"
  release_machine >/dev/null
}

in_order() { # each step with the stage of the bill that pays it
  do_step ready install
  check_release
#: order
}

main() {
  [ -f "$0" ] || fail 'keep it in a file: sh run.sh'
  know_boot
  case ${1:-} in
    '') do_all ;;
    --dry-run) print_all ;;
    --release) release ;;
    --ask) release_machine ;;
    --check) check ;;
    --step) one_step "$2" ;;
    --guard) watch_over "$2" "$3" ;;
    *) fail "$1: it takes --dry-run, --release or --check" ;;
  esac
}

main "$@"

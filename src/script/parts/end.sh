## The end: the release, and the guard that sees to it

check() { # one line where nobody can, with the last that was said of why
  why=$(can_release 2>&1) && return
  why=$(printf '%s\n' "$why" | tail -n 1)
  echo "CAREFUL: it seems that nobody can release this machine from here, and it costs on${why:+ ($why)}; this needs $release_needs" >&2
  return 1
}

check_release() { # while there is somebody who looks
  [ ! "$dry" ] || return 0
  careful=$(timeout -s KILL 60 sh "$self" --check 2>&1 </dev/null) ||
    say "${careful:-CAREFUL: whether this machine can be released was not known within a minute; this needs $release_needs}"
}

release() { # asks until it is taken
  pause=5
  say "release: $release_title"
  [ -f "$self" ] || self=$0
  until timeout -s KILL 300 sh "$self" --ask; do
    say "release: not taken, again in $pause s"
    sleep "$pause"
    pause=$((pause < 60 ? 2 * pause : 60))
  done
  say 'release: taken'
  { echo taken >"$home/released"; } 2>/dev/null || :
}

rescue() { # what was measured until now, where that is not saved yet: one try, and not for long
  if ended marks || [ ! -e "$home/neph.db" ]; then return; fi
  say 'saves what there is'
  NEPH_HURRY=1 timeout -s KILL "$rescue_s" sh "$self" --step save </dev/null >>"$log" 2>&1 || say 'could not save it'
}

start_guard() {
  setsid sh "$self" --guard "$$" "$main_begun" </dev/null >/dev/null 2>>"$log" &
  guard=$!
  begin_of "$guard"
  guard_begun=$ticks
  echo "$guard $guard_begun" >"$home/guard"
}

watch_over() { # watch_over PROCESS TICKS: the guard. It ends with the release, or when it has seen that of the other
  trap 'trap : HUP INT TERM; release; exit' HUP INT TERM
  { echo -1000 >/proc/self/oom_score_adj; } 2>/dev/null # who takes too much memory is the step, not the guard
  set_limits
  while runs "$1" "$2"; do
    sleep 2
    up=$(uptime_s)
    spent=$((spent + up - last))
    last=$up
    { echo "$boot_id $up $spent" >"$home/spent"; } 2>/dev/null
    [ "$limit_s" = 0 ] || [ "$((spent + rescue_s + reserve_s))" -lt "$limit_s" ] || break
  done
  [ ! -e "$home/released" ] || exit 0
  if runs "$1" "$2"; then
    say "time or money is up: $spent s of $limit_s s were paid"
    kill -s KILL "$1"
  else
    say 'the script was killed'
  fi
  end_step
  rescue
  release
}

spent_before() { # seconds that this machine has cost already
  saved=0
  { read -r of_boot at saved <"$home/spent"; } 2>/dev/null
  if [ "${of_boot:-}" = "$boot_id" ]; then
    echo "$((saved + last - at))"
  elif [ "$paid_from" = script ] || in_container || [ "$last" -ge "$most" ]; then
    echo "$saved" # a machine that runs for longer than it may was not started for this
  else
    echo "$((saved + last))"
  fi
}

set_limits() { # seconds that may be paid, and of these the last for saving and the release
  most=$limit_s
  if [ "$most_s" != 0 ] && { [ "$limit_s" = 0 ] || [ "$most_s" -lt "$limit_s" ]; }; then most=$most_s; fi
  last=$(uptime_s)
  spent=$(spent_before)
  # by the clock, its steps are paid whole: also what the first had behind it when the machine was started
  [ "$clock_s" = 0 ] || limit_s=$((limit_s - ($(date +%s) - spent) % clock_s))
  if [ "$most_s" != 0 ] && { [ "$limit_s" = 0 ] || [ "$most_s" -lt "$limit_s" ]; }; then limit_s=$most_s; fi
  if [ "$limit_s" != 0 ] && [ "$limit_s" -lt 1200 ]; then rescue_s=$((limit_s / 10 + 1)) reserve_s=$((limit_s / 20)); fi
}

finish() { # of all ends but one: of a kill the guard hears
  code=$?
  trap - EXIT
  trap : HUP INT TERM
  end_step
  rescue
  release
  kill -s KILL -- "-$guard" 2>/dev/null
  exit "$code"
}

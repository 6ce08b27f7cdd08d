# title = "powers the machine off"
# ends = "poweroff"
# sky = ""
# needs = "root, or sudo without a password"
# read = ["man7.org/linux/man-pages/man8/poweroff.8.html"]
# date = "2026-11-25"
release_machine() { power_off; }

can_release() { as_root true; } # at least it can be switched off

# title = "a machine of one's own: stays on"
# ends = "nothing"
# also = ["local"]
# sky = ""
# needs = "nothing. --release poweroff switches it off"
# read = []
# date = "2026-11-25"
release_machine() { :; }

can_release() { :; }

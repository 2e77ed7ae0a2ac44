#!/usr/bin/env bash
# Brings up the example fleet in a terminal of 100 columns (tmux) and keeps what it showed when most applications were
# healthy and some still on the way. Run it in the root of the repository, then `make generate`.
set -euo pipefail
state=$(mktemp -d)
socket=picture-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; bin/causeway down --delete --state-dir "$state" >/dev/null 2>&1 || true; rm -rf "$state"' EXIT

tmux -L "$socket" new-session -d -x 100 -y 46 \
  "bin/causeway up --file examples/fleet/causeway.yaml --once --state-dir '$state'; sleep 5"
for _ in $(seq 1200); do
  sleep 0.2
  tmux -L "$socket" capture-pane -e -p > "$state/now.ansi" 2>/dev/null || break
  read -r good all < <(sed 's/\x1b\[[0-9;]*m//g' "$state/now.ansi" | sed -n 's/.* \([0-9]*\) of \([0-9]*\) applications .*/\1 \2/p') || continue
  if [ "$((good * 10))" -ge "$((all * 8))" ] && [ "$all" -ge 50 ] && [ "$good" -lt "$((all - 4))" ]; then
    cp "$state/now.ansi" "$state/best.ansi"
    break
  fi
done
[ -f "$state/best.ansi" ] || { echo "no picture was taken: the fleet came up too fast, or not at all" >&2; exit 1; }
{
  printf '$ \033[1mmake up\033[0m\n'
  sed -e 's/ *$//' "$state/best.ansi" | cat -s | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
} > docs/images/up.ansi

#!/usr/bin/env bash
# Changes a copy of the example fleet in three places and keeps what `causeway preview` shows of it in a terminal of 100
# columns (tmux), without the warnings that the fleet has on both sides. Run it in the root of the repository, then
# `make generate`.
set -euo pipefail
demo=$(mktemp -d)
socket=picture-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$demo"' EXIT
bin=$PWD/bin/causeway
out=$PWD/docs/images/preview.ansi

cp -r examples/fleet/. "$demo" && cd "$demo"
git init --quiet --initial-branch main && git add --all
git -c user.name=demo -c user.email=demo@example.com commit --quiet --message "The fleet"
git remote add origin https://git.example.com/platform/fleet
sed -i 's/cpu: 20m/cpu: 30m/' environments/default/addons/metrics-server/values.yaml
sed -i 's/serviceName: ledger/serviceName: ledger-peers/' workloads/gitops/teams/payments/ledger/base/statefulset.yaml
sed -i 's/enable_velero: "true"/enable_velero: "false"/' clusters/prod.yaml

tmux -L "$socket" new-session -d -x 100 -y 400 \
  "'$bin' preview --clusters causeway.yaml --cache-dir '$demo/.git/cache' --output tree; touch '$demo/.git/done'; sleep 60"
for _ in $(seq 300); do
  [ -f "$demo/.git/done" ] && break
  sleep 0.2
done
[ -f "$demo/.git/done" ] || { echo "the preview did not end" >&2; exit 1; }
{
  printf '$ \033[1mcauseway preview --clusters causeway.yaml --output tree\033[0m\n'
  tmux -L "$socket" capture-pane -e -p | sed -e 's/ *$//' -e '/Warnings/Q' | cat -s | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
} > "$out"

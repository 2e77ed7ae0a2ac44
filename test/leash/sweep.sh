# Waits until its input ends, which is when the process that holds the other end does, then ends all processes of that
# name and removes their folder. Again and again, because one that is about to die may start another.
name=$1 dir=$2
cat >/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  left=$(grep -lsaF "$name" /proc/[0-9]*/environ | cut -d/ -f3)
  [ -n "$left" ] || break
  for pid in $left; do
    [ $round -gt 1 ] || echo "left running, and ended: $(tr '\0' ' ' 2>/dev/null </proc/$pid/cmdline | cut -c1-160)" >&2
    kill -9 "$pid" 2>/dev/null
  done
done
rm -rf "$dir"

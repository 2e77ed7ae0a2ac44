// Package memory tells how much memory this process may take with its
// children: that of its container, or of the machine. It measures nothing.
package memory

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// unknown is assumed where no system tells.
const unknown = 4 << 30

// There is the memory that there is, in bytes. It does not change while the
// process runs.
var There = sync.OnceValue(func() int64 { return Of(os.DirFS("/")) })

// Of is the memory by the files of a system, from its root: the least limit of
// the control groups that the process is in, or what the machine has.
func Of(system fs.FS) int64 {
	least := int64(unknown)
	if kib := field(read(system, "proc/meminfo"), "MemTotal:"); kib > 0 {
		least = kib << 10 //nolint:mnd // KiB
	}
	for _, file := range limits(read(system, "proc/self/cgroup")) {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(read(system, file))), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	return least
}

// limits are the files with the limits of the groups of a process, and of those
// above them; those of both versions of control groups.
func limits(groups []byte) []string {
	out := []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) //nolint:mnd // number, controllers, path
		if len(parts) < 3 {                                      //nolint:mnd // as above
			continue
		}
		root, file := "sys/fs/cgroup", "memory.max"
		if parts[1] != "" {
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		if parts[1] != "" && !slices.Contains(strings.Split(parts[1], ","), "memory") {
			continue
		}
		for dir := path.Clean("/" + parts[2]); dir != "/"; dir = path.Dir(dir) {
			out = append(out, path.Join(root, dir, file))
		}
	}
	return out
}

func read(system fs.FS, name string) []byte {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return nil // another system has none
	}
	return text
}

// field is the number after a name in /proc/meminfo; 0 when it is not there.
func field(text []byte, name string) int64 {
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if len(words) > 1 && words[0] == name {
			n, _ := strconv.ParseInt(words[1], 10, 64)
			return n
		}
	}
	return 0
}

// Workers is the part of the memory that all processes that render share.
func Workers(there int64) int64 { return there / 8 * 3 } //nolint:mnd // three eighths

// Expressions is the part of it that the processes which evaluate jq share. They need no
// more than mostExpressions.
func Expressions(there int64) int64 { return min(there/8, mostExpressions) } //nolint:mnd // an eighth

const mostExpressions = 512 << 20

// Engine is what this process has beside them.
func Engine(there int64) int64 { return there - Workers(there) - Expressions(there) }

// Manifests is the part of it for manifests that are compared and applied at a time, of
// all projects together.
func Manifests(there int64) int64 { return Engine(there) / 2 } //nolint:mnd // half

// Kinds is the part of it for what clusters serve, of all clusters together.
func Kinds(there int64) int64 { return Engine(there) / 4 } //nolint:mnd // a quarter

// Collect has the collector work harder before this process takes more than is
// its own, unless the environment sets GOMEMLIMIT.
func Collect(env func(string) (string, bool), there int64) {
	if _, set := env("GOMEMLIMIT"); set {
		return
	}
	debug.SetMemoryLimit(Engine(there) / 10 * 9) //nolint:mnd // a tenth is for what is no heap
}

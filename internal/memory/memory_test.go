package memory

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func TestOf(t *testing.T) {
	const machine = "MemTotal:       8388608 kB\nMemFree:         1000000 kB\n"
	tests := map[string]struct {
		reason string
		files  map[string]string
		want   int64
	}{
		"Machine":   {"what the machine has", map[string]string{"proc/meminfo": machine}, 8 << 30},
		"Container": {"a container sees its own group as the root", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		"Unlimited": {"a group without a limit", map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "max\n"}, 8 << 30},
		"Above":     {"the limit is that of a group above", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "2147483648\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 2 << 30},
		"First":     {"the first version", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "9:memory:/pod\n3:cpu,cpuacct:/other\n", "sys/fs/cgroup/memory/pod/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"Endless":   {"which writes a large number for none", map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8 << 30},
		"Slice":     {"a group beside the root that a container sees", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/../pod\n", "sys/fs/cgroup/pod/memory.max": "1073741824\n"}, 1 << 30},
		"Joined":    {"the memory of the first version with another controller", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "9:memory,hugetlb:/pod\n", "sys/fs/cgroup/memory/pod/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"Odd":       {"what cannot be read says nothing", map[string]string{"proc/meminfo": "MemTotal:\nMemTotal: much kB\n", "proc/self/cgroup": "0\n\n0::/a\n", "sys/fs/cgroup/a/memory.max": "-1\n", "sys/fs/cgroup/memory.max": "0\n"}, unknown},
		"Nothing":   {"another system", nil, unknown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			system := fstest.MapFS{}
			for name, text := range tc.files {
				system[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := Of(system); got != tc.want {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// TestCollect sets a limit that leaves the workers theirs, but not over one
// that was set.
func TestCollect(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	Collect(func(string) (string, bool) { return "1GiB", true }, 1<<40)
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("GOMEMLIMIT was set, and the limit is %d", got)
	}
	Collect(func(string) (string, bool) { return "", false }, 1<<40)
	if got := debug.SetMemoryLimit(-1); got <= 0 || got+Workers(1<<40)+Expressions(1<<40) >= 1<<40 {
		t.Errorf("the limit is %d", got)
	}
}

// TestPartsFit: who sizes itself by its part takes nothing of another's.
func TestPartsFit(t *testing.T) {
	for _, there := range []int64{256 << 20, 2 << 30, unknown, 64 << 30} {
		if all := Engine(there) + Workers(there) + Expressions(there); all > there || Engine(there) < there/2 {
			t.Errorf("of %d MiB, %d are given away, %d to the engine", there>>20, all>>20, Engine(there)>>20)
		}
		if own := Manifests(there) + Kinds(there); own >= Engine(there) {
			t.Errorf("of %d MiB of the engine, %d are given away", Engine(there)>>20, own>>20)
		}
	}
}

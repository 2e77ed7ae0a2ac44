package memory

import (
	"testing"
	"testing/fstest"
)

// Of several limits the least counts, wherever it stands: a process that takes more than one of
// them is ended. What is of no control group of its own does not count.
func TestTheLeastLimitCounts(t *testing.T) {
	const gib, pod, v2 = "1073741824\n", "sys/fs/cgroup/memory/pod/memory.limit_in_bytes", "sys/fs/cgroup/memory.max"
	for name, tc := range map[string]struct {
		reason string
		groups string
		limits map[string]string
		want   int64
	}{
		"Inner":      {"the group has less than the one above", "0::/a/b\n", map[string]string{"sys/fs/cgroup/a/memory.max": gib, "sys/fs/cgroup/a/b/memory.max": "536870912\n"}, 512 << 20},
		"Outer":      {"the group above has less", "0::/a/b\n", map[string]string{"sys/fs/cgroup/a/memory.max": "536870912\n", "sys/fs/cgroup/a/b/memory.max": gib}, 512 << 20},
		"Both":       {"the memory may be of either version", "9:memory:/pod\n0::/\n", map[string]string{pod: "536870912\n", v2: gib}, 512 << 20},
		"More":       {"nobody has more than the machine", "0::/\n", map[string]string{v2: "1099511627776\n"}, 8 << 30},
		"Others":     {"a group of another controller may have the path of somebody else's memory", "3:cpu,cpuacct:/pod\n1:name=systemd:/pod\n", map[string]string{pod: gib}, 8 << 30},
		"Beside":     {"a limit of a group beside it", "0::/a\n", map[string]string{"sys/fs/cgroup/b/memory.max": gib}, 8 << 30},
		"Colons":     {"a path may have colons", "0::/a:b:c\n", map[string]string{"sys/fs/cgroup/a:b:c/memory.max": gib}, 1 << 30},
		"Unsigned":   {"what is too large to be read is no limit", "", map[string]string{v2: "18446744073709551615\n"}, 8 << 30},
		"Unended":    {"a last line need not end", "0::/a", map[string]string{"sys/fs/cgroup/a/memory.max": "1073741824"}, 1 << 30},
		"Fractional": {"what is no whole number is not guessed at", "", map[string]string{v2: "1.5\n"}, 8 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			system := fstest.MapFS{
				"proc/meminfo":     {Data: []byte("MemFree: 1 kB\nMemTotal: 8388608 kB\n")},
				"proc/self/cgroup": {Data: []byte(tc.groups)},
			}
			for file, text := range tc.limits {
				system[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := Of(system); got != tc.want {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// Processes for jq need no more on a large machine than on a small one: the engine has the rest.
func TestLargeMachinesAreTheEngines(t *testing.T) {
	const small, large = 4 << 30, 64 << 30
	if Expressions(small) != Expressions(large) || Expressions(small/2) >= Expressions(small) {
		t.Errorf("for jq there are %d, %d and %d", Expressions(small/2), Expressions(small), Expressions(large))
	}
	if more := Engine(large) - Engine(small); more != (large-small)-(Workers(large)-Workers(small)) {
		t.Errorf("the engine has %d more on the large one", more)
	}
}

package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// maxSweeps bounds how often processes are looked for that start others
// while they are ended.
const maxSweeps = 10

// killMarked ends the processes that have an entry in their environment.
func killMarked(mark string) {
	if mark == "" {
		return
	}
	for range maxSweeps {
		found := marked(mark)
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(found) == 0 {
			return
		}
	}
}

func marked(mark string) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	entry := []byte("\x00" + mark + "\x00")
	var out []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + name + "/environ") // of other users and of the dead it is empty
		if err == nil && bytes.Contains(append([]byte{0}, env...), entry) {
			out = append(out, pid)
		}
	}
	return out
}

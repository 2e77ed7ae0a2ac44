package process

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watchEvery is how often a group's memory and number are looked at. The
// kernel's limit of each process's data needs no looking.
const watchEvery = 100 * time.Millisecond

// guard limits a group from outside until the returned function is called.
func guard(pid int, l Limits, end context.CancelCauseFunc) (stop func()) {
	if l.Memory > 0 {
		// What the command allocates before this line is small; failing
		// leaves the look at the group.
		limit := unix.Rlimit{Cur: uint64(l.Memory), Max: uint64(l.Memory)}
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
	}
	none := unix.Rlimit{}
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &none, nil)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { // what comes back waits for it
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if reason := look(pid, l); reason != nil {
				end(reason)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// look returns the limit that a group is beyond.
func look(pgid int, l Limits) error {
	number, memory := usage(pgid)
	if l.Memory > 0 && memory > l.Memory {
		return ErrMemory
	}
	if l.Processes > 0 && number > l.Processes {
		return ErrProcesses
	}
	return nil
}

// usage sums up the processes of a group and their resident memory in bytes.
func usage(pgid int) (number int, memory int64) {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		group, pages, ok := stat(name)
		if ok && group == pgid {
			number++
			memory += pages * int64(os.Getpagesize())
		}
	}
	return number, memory
}

// stat reads the group and the resident pages of a process, fields 5 and 24
// of proc_pid_stat(5), counted from the name in parentheses.
func stat(pid string) (group int, pages int64, ok bool) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, 0, false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 22 { //nolint:mnd // up to the resident pages
		return 0, 0, false
	}
	group, err = strconv.Atoi(fields[2])
	if err != nil {
		return 0, 0, false
	}
	pages, err = strconv.ParseInt(fields[21], 10, 64)
	return group, pages, err == nil
}

package memlimit

import "golang.org/x/sys/unix"

// limitData has the kernel refuse memory: one huge allocation is there before
// anybody could look.
func limitData(bytes int64) {
	limit := unix.Rlimit{Cur: uint64(bytes) + slack, Max: uint64(bytes) + slack} //nolint:gosec // positive
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &limit)
	none := unix.Rlimit{}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &none)
}

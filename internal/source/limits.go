package source

import "time"

// Limits bound what a source may cost; zero fields take the default.
type Limits struct {
	// FileBytes bounds a file that is read; default 32 MiB.
	FileBytes int64
	// TreeBytes bounds the files of a chart or artifact; default 128 MiB, which is
	// what UnpackedBytes has room for.
	TreeBytes int64
	// Files bounds the files of an archive or a mirror folder; default 50,000.
	Files int
	// Operation bounds each call to a remote; default 2 minutes.
	Operation time.Duration
	// MemoryBytes bounds what is kept of files of Git in memory; default 64 MiB.
	MemoryBytes int64
	// UnpackedBytes bounds what is kept in memory of charts, artifacts and indexes,
	// of which one project has two thirds, and what is unpacked at a time;
	// default 192 MiB. One that alone takes more than two thirds of it is an error.
	UnpackedBytes int64
}

func (l Limits) complete() Limits {
	l.FileBytes = or(l.FileBytes, 32<<20)
	l.TreeBytes = or(l.TreeBytes, 128<<20)
	l.Files = or(l.Files, 50_000)
	l.Operation = or(l.Operation, 2*time.Minute)
	l.MemoryBytes = or(l.MemoryBytes, 64<<20)
	l.UnpackedBytes = or(l.UnpackedBytes, 192<<20)
	return l
}

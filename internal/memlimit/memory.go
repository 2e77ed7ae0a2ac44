package memlimit

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// ExitMemory is the exit code of a process that took too much memory, and
// ExitCrash that of Go's runtime, which is refused memory or stack.
const (
	ExitMemory = 97
	ExitCrash  = 2
)

// Memory has this process hold no more than limit bytes: Watch ends it, and
// what is asked for at once is refused.
func Memory(limit int64) {
	debug.SetMemoryLimit(limit / 4 * 3) //nolint:mnd // the collector works harder before the limit is reached
	limitData(limit)
}

// watchEvery is how often a process looks at itself.
const watchEvery = 20 * time.Millisecond

// Watch ends the process when it holds more than limit bytes, with
// ExitMemory: an evaluation does not notice. Before, it calls also each time.
func Watch(limit int64, also func()) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(watchEvery) {
		also()
		metrics.Read(sample)
		if used := sample[0].Value.Uint64() - sample[1].Value.Uint64(); used > uint64(limit) { //nolint:gosec // positive
			os.Exit(ExitMemory)
		}
	}
}

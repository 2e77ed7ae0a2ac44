package worker

import (
	"runtime/debug"
	"runtime/metrics"
)

// mostIdle is what a worker may hold between its tasks, in bytes, before it looks
// for what it can give back.
const mostIdle = 96 << 20

// Tidy gives memory back after a large task: a worker that waits for the next one
// may wait for long.
func Tidy() {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64()-sample[1].Value.Uint64() > mostIdle {
		debug.FreeOSMemory()
	}
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// roomy is how much memory, in KiB, is free on a machine that need not spare it: a dozen control planes fit.
const roomy = 16 << 20

// seldom lets heaps of Go's programs grow to three times what lives in them. Control planes that build their schemas leave
// much behind: to start one and define kinds takes a sixth less of the processors' time, and half as much memory again.
const seldom = "200"

// spendMemory lets programs collect garbage less often, where nobody has said how often and there is room. It is for the
// gate: the long tier looks at memory.
func spendMemory() {
	if os.Getenv("GOGC") == "" && available("/proc/meminfo") >= roomy {
		_ = os.Setenv("GOGC", seldom) // a good name and value never fail
	}
}

// available is the memory that programs may take without swapping, in KiB, as Linux tells it; 0 elsewhere.
// See https://docs.kernel.org/filesystems/proc.html#meminfo.
func available(file string) int {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if value, is := strings.CutPrefix(lines.Text(), "MemAvailable:"); is {
			n := 0
			_, _ = fmt.Sscanf(value, "%d kB", &n) // 0 is no room
			return n
		}
	}
	return 0
}

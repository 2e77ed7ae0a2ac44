//go:build !linux

package memlimit

// limitData does nothing: other systems do not limit what a process maps.
func limitData(int64) {}

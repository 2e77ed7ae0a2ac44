//go:build !linux

package confine

// limitData does nothing: other systems do not limit what a process maps.
func limitData(int64) {}

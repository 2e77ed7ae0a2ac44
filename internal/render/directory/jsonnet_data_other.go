//go:build !linux

package directory

// limitData does nothing: other systems do not limit what a process maps.
func limitData(int64) {}

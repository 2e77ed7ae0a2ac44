//go:build !race

package memlimit

// slack is what a process maps besides the memory that it holds, in bytes.
const slack = 256 << 20

//go:build race

package memlimit

// slack is what a process maps besides the memory that it holds, in bytes: the race
// detector maps shadows of all of it.
const slack = 64 << 30

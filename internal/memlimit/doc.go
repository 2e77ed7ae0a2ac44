// Package memlimit bounds the memory of processes that evaluate what strangers
// wrote, with an interpreter that has no bound of its own. It neither starts
// such processes nor speaks to them.
package memlimit

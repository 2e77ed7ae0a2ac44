// Command vulns looks whether the programs that are shipped have known
// vulnerabilities in them, and fails on those that no exception names.
//
//	go run ./test/vulns [--db ADDRESS] [--tool govulncheck] [--exceptions FILE]
//
// It asks in two steps. The packages of a module are compared with the
// database first, which takes seconds. Where one is concerned, its program is
// linked with its symbols: what the linker kept counts, so that a function
// which nothing leads to is no finding. To follow calls through the sources
// takes gigabytes of memory.
//
// A database that cannot be reached is told, and is no failure: it is on the
// network, and a change does not get worse by that.
package main

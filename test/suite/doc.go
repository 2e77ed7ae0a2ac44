// Command suite runs the tests of all modules and languages in one go, so that both cores of a small machine are busy
// from the beginning to the end: what takes longest first, what waits most beside what computes most. It says at its
// end, in a few lines, what failed and why, what passed only at its second try, and what took longest.
//
//	go run ./test/suite [--tier gate|all] [--only EXPRESSION]
//
// The tier gate leaves out what test/long.txt names; the tier all runs everything, much of it under the race detector.
// What is tested is not said here: each test runs by `go test` or `npm test` alone, too.
package main

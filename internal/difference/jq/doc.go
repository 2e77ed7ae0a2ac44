// Package jq evaluates the jq path expressions that people write about their
// objects. An expression sees one object; it reaches no file, process or
// network, and what it may use of time and memory is bounded.
//
// The interpreter has no bound of memory, and its functions cannot be
// interrupted: comparing a value that contains itself many times over never
// ends. So it evaluates in this process what only points at fields and builds
// no value, which is nearly all that is in use. Everything else is evaluated
// by workers: this executable once more, ended at its limit of time or memory,
// with nothing lost but that evaluation. One project has half of the workers at
// most, and all evaluations of one comparison have one bound of time.
package jq

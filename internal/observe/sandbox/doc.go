// Package sandbox runs the Lua that people write about their objects: health
// checks and actions. A script gets values and returns a value; it reaches no
// file, process, network or other script, and what it may use of time, steps
// and memory is bounded.
//
// The interpreter has no limit of memory by itself. So what makes values grow
// (concatenation, table stores and constructors, closures) is rewritten into
// calls that charge a meter before they allocate, and library functions whose
// result may be large, or whose work may be long, are replaced by ones that
// ask the meter, too.
package sandbox

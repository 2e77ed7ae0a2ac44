// Package process runs a command with limits: time, output, memory and the
// number of processes. There is no shell, nothing is taken from the
// environment of this process, and whatever the command started ends with it.
//
// It is no sandbox: a command can read what this process's user can.
package process

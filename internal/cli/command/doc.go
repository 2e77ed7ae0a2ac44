// Package command has what every command shares: streams, the flags of all, arguments, files that flags name, exit codes,
// time limits, and the log of the process.
package command

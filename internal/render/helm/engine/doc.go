// Package engine executes the templates of a chart as Helm 4 does, within
// limits: a template that loops or grows without end is stopped where it is.
// Templates are parsed once for each content, and the output remembers which
// line of which template it came from.
//
// It loads no charts, merges no values and reads no output.
package engine

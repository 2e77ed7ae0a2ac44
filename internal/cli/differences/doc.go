// Package differences prints what a sync would change in objects: unified, as tables, and for programs.
package differences

// Package diff is the command that compares Applications with their clusters.
package diff

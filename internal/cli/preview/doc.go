// Package preview has the commands that look at a repository without a hub: what a change makes, what is wrong, what is
// generated and rendered, and the mirror that they read.
package preview

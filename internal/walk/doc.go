// Package walk shows a tree of files to whoever goes through all of it, within
// bounds: a few folders that hold one another many times are, in Git, a small
// repository of more paths than anybody could count.
//
// It finds and reads nothing by itself: fs.WalkDir, a library that expands
// patterns, or a loop over folders goes through the tree that it gives.
package walk

// Package worker has what strangers wrote computed in processes of its own:
// this executable once more, bounded in memory, killed when its time is over,
// kept while it is used.
//
// It is for libraries that cannot be interrupted and have no bound of their
// own. What such a process says is a stranger's word, too.
package worker

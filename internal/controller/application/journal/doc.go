// Package journal follows the syncs that run, and tells the history of them and of how far commits come.
package journal

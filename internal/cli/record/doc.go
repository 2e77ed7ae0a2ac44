// Package record has the commands that tell what was done: syncs, commits, the audit, and traces.
package record

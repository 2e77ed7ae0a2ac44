// Package state has what is known of an Application while it is reconciled: where it leads and what its project permits
// there, what was compared, how far its operation has come, and the status that is not written yet.
package state

// Package operate has the commands that ask the engine for something, and follow it: syncs, rollbacks, deletions,
// approvals, actions, rollouts, another look.
package operate

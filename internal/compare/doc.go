// Package compare sets what an Application's sources say beside what its cluster has. The controller
// decides by it what to sync, and whoever looks at an Application is shown the same.
//
// It writes nothing, and knows nothing of operations: whether what differs is synced, held back or
// left is decided above it.
package compare

// Package report turns the outcome of a reconcile into everything that people
// and machines read of it: conditions, status, Kubernetes events, metrics and
// one log line. It also decides, once, which class an error belongs to and so
// when the object is looked at again.
//
// It decides nothing about what is synced or healthy: the controllers write
// that into the status of the object they hold, and report sends it.
package report

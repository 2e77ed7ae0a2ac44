// Package dependency tells what an Application, or an object of a wave, depends on and is not ready yet, and who is to be
// woken when that changes.
//
// It writes nothing to a cluster, and watches what is waited for: the controller of Applications holds back what waits.
package dependency

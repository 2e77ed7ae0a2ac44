// Package handover puts the engine in the place of Argo CD's controllers, and back: it
// reads what a hub has of Argo CD, stops the one, starts or installs the other, and
// waits until all applications are as well off as before. Each step is written down on
// the hub, so that whoever comes next goes on with it or takes it back.
//
// What a takeover means is judged by internal/takeover. Nothing that applications
// deploy is written by it, and what the engine would change of that is for others to
// foretell.
package handover

// Package secretrotation restarts the workloads of one cluster that use a Secret
// whose values changed after they started: where a policy says so, and one sync wave
// at a time, each behind the health of the one before it.
//
// What was restarted is kept as a time in the pod template, so that another engine goes
// on where one ended. That is remembered as well, for templates that others write anew.
// Values are never read.
package secretrotation

// Package inspect looks at applications as the engine does, and at what it would make
// of them, for somebody who asks: a person's command at a hub that may have no engine,
// or the server of one. It renders, compares by dry runs, reads live objects and what
// they own, tells where values come from and what sets give, and foretells what a
// takeover from Argo CD would change.
//
// Each look at an Application is admitted by its project first, as a sync would be. It
// writes nothing but what an action on an object does, which its project permits, too.
// When to do what, and what becomes of a status, is for the controllers to decide.
package inspect

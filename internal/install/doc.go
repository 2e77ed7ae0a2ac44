// Package install makes a hub of a cluster: it writes the definitions of kinds, the
// engine, the Secrets of the first repository and of the hub, and the root
// ApplicationSets, after it has shown what it would write. It names all at once what
// stands in the way, a right that is missing or an object of somebody else, and
// writes nothing then.
//
// What it writes is made by internal/bootstrap. It installs an engine for a takeover,
// too, and stops nothing of Argo CD: a namespace that holds one is refused.
package install

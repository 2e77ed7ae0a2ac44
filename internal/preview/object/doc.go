// Package object tells what differs between the objects of two renderings of
// an application: fields, images, and the changes that deserve a second look.
//
// Objects are compared as the API server merges them: the order of a list
// that Kubernetes keeps by a key does not matter, "1000m" and 1 are the same
// quantity, null is absent. Defaults are not invented. Values of Secrets, and
// of what looks like one, never leave the package. It renders nothing and
// talks to nobody.
package object

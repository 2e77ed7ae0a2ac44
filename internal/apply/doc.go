// Package apply carries out the actions of a plan in a cluster: server-side
// apply, one request an object, as many in flight as the API server takes. It
// knows nothing of order beyond one wave, watches nothing and decides nothing
// about health.
package apply

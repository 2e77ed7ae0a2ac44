// Package externalsecret keeps the Secrets that ExternalSecrets describe, in one
// cluster.
//
// A Secret that is in place is never changed by a failure: what is fetched is
// written as a whole or not at all, and status says since when it is stale.
// Values are kept nowhere but in the Secret: of what was written the controller
// remembers a keyed hash, and that a Secret was changed by somebody else it sees
// by who owns its keys.
package externalsecret

// Package history has the words for what syncs did: a sync with its waves and
// objects, the commits that it brought, and how far each of these has come on an
// application. Controllers write them, a store keeps them, and telemetry, the
// server and commands read them.
package history

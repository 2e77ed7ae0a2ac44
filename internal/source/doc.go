// Package source is the fetch stage: it turns a reference to a repository,
// chart or artifact into a Snapshot, an immutable tree of files.
//
// A Registry asks each repository once an interval, whatever the number of
// applications that use it, answers everything between two look-ups from
// memory, and tells on a channel which repositories changed. The packages
// below know one kind of source each. Nothing here renders, and nothing
// talks to a cluster: Secrets come in as values.
package source

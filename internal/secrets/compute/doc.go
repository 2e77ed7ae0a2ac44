// Package compute makes the object of an ExternalSecret of what was fetched for
// it: decoding, rewriting, naming and templates.
//
// Templates and patterns are what strangers wrote, and the libraries that run
// them can be neither interrupted nor bounded: a job is done by a worker process
// (internal/worker), and its values are in no error that comes back.
package compute

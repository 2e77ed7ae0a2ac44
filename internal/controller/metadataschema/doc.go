// Package metadataschema has the API server check what cluster Secrets say, as
// MetadataSchema objects ask for, and counts what breaks the rules already.
//
// Each schema becomes a ValidatingAdmissionPolicy with its binding. The engine
// takes no part in a write: the rules hold also while it does not run.
package metadataschema

// Package reach decides what somebody may see and do: which applications,
// clusters, projects and sets there are for them, and what is refused. It asks
// the installation's rights and tells the audit of what they deny; how a
// refusal is answered, the APIs above it know.
package reach

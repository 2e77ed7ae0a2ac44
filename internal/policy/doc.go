// Package policy tells what an AppProject permits: sources, destinations,
// kinds, the namespaces of Applications and the times of syncs. It decides on
// values alone and looks nothing up. Rules: the suite conformance/project.
//
// Of sync windows, window_hours.go tells when one is open, window.go which of them
// concern an Application and what they permit, window_state.go when that changes, and window_agenda.go
// what people are shown of it.
package policy

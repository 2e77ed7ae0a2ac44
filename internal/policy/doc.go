// Package policy tells what an AppProject permits: sources, destinations,
// kinds, the namespaces of Applications and the times of syncs. It decides on
// values alone and looks nothing up. Rules: the suite conformance/project.
package policy

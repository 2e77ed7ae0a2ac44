// Package argocd answers the endpoints of Argo CD's REST API that portals,
// chat bots and scripts call, in Argo CD's form, so that those tools change
// one address. It has no rules of its own: who may what, what is read and what
// is written are those of package api. What else Argo CD's API has is refused
// as not implemented.
package argocd

// Package rbac answers what Argo CD's policy lets a user do: the ConfigMap argocd-rbac-cm, the roles of projects, and the
// built-in roles, as they stand.
//
// Load reads the ConfigMap to a Policy, Policy.Subject reads the claims of a token, and Subject.Allowed answers a
// request. Nothing is changed by asking, everything is safe for concurrent use, and a Policy never changes: load
// another one when the ConfigMap does, and keep the old one if that cannot be read, as Argo CD does.
//
// The rules are those of casbin with the model that Argo CD gives it. They are evaluated here, as casbin interprets
// each line of a policy for each request; the tests hold both against each other.
//
// It does not know who somebody is: whoever makes the claims has verified the token, has seen that a token of a project role
// or of an API key is still listed, and answers for what the claims say. In particular, whoever is called "admin" or
// "role:admin", or has a group of that name, is an administrator, and "proj:team:ci" is the role ci of project team.
package rbac

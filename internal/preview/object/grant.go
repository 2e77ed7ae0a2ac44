package object

import "github.com/causeway-gitops/causeway/internal/gitops"

// account is the name of a ServiceAccount, put aside where it is one of the
// application's own.
func (n *standIns) account(name, namespace string) string {
	if !n.accounts[gitops.Key{Kind: "ServiceAccount", Namespace: namespace, Name: name}] {
		return literal(name)
	}
	return n.inName(name)
}

// grant is a field of an object of RBAC. What it permits, and to whom, is told
// as it is, but for roles that the same change has whole, and for
// ServiceAccounts of the application.
func (n *standIns) grant(s subject, keys []string, v any) any {
	if len(keys) != 1 {
		return literals(v)
	}
	switch v := v.(type) {
	case map[string]any:
		switch keys[0] {
		case "roleRef":
			return n.roleRef(s, v)
		case "subjects":
			return n.receiver(v)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.grant(s, keys, v[i])
		}
		return out
	}
	return literals(v)
}

// roleRef is what a binding gives.
func (n *standIns) roleRef(s subject, ref map[string]any) any {
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	namespace := s.namespace
	if kind == "ClusterRole" {
		namespace = ""
	}
	if !n.roles[gitops.Key{Kind: kind, Namespace: namespace, Name: name}] {
		return literals(ref)
	}
	return exchanged(ref, map[string]any{"name": n.identity(subject{group: rbacGroup, kind: kind}, name)})
}

// receiver is one of those that a binding gives it to.
func (n *standIns) receiver(of map[string]any) any {
	name, _ := of["name"].(string)
	namespace, _ := of["namespace"].(string)
	if of["kind"] != "ServiceAccount" || !n.accounts[gitops.Key{Kind: "ServiceAccount", Namespace: namespace, Name: name}] {
		return literals(of)
	}
	return exchanged(of, map[string]any{"name": n.inName(name), "namespace": n.inName(namespace)})
}

// exchanged is a mapping in which some fields are others.
func exchanged(fields, others map[string]any) map[string]any {
	out := make(map[string]any, len(fields))
	for k, v := range fields {
		out[literal(k)] = literals(v)
	}
	for k, v := range others {
		out[k] = v
	}
	return out
}

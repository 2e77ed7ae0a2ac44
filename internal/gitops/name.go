package gitops

import "strings"

// NameIn is an object's name with its namespace, "shop/web"; the name alone of
// what is in none.
func NameIn(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// ObjectName names an object for people: "Deployment shop/web", "Namespace shop".
func ObjectName(kind, namespace, name string) string {
	return kind + " " + NameIn(namespace, name)
}

// ObjectPath names an object as commands take it: "Deployment/shop/web", "Namespace/shop".
func ObjectPath(kind, namespace, name string) string {
	return kind + "/" + NameIn(namespace, name)
}

// NameFrom is how commands name what is on a hub: by its name alone in the control
// namespace, where that means nothing else, and with its namespace elsewhere.
func NameFrom(control, namespace, name string) string {
	if namespace == control {
		return name
	}
	return NameIn(namespace, name)
}

// ShortRevision cuts a commit or a digest as Git does. A version and a branch stay
// whole: 10.12.13 is not 10.12.1.
func ShortRevision(revision string) string {
	revision = strings.TrimPrefix(revision, "sha256:")
	if len(revision) >= 40 && strings.Trim(revision, "0123456789abcdef") == "" {
		return revision[:7]
	}
	return revision
}

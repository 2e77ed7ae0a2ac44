package gitops

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

package gitops

// Stray is a namespaced object that no other object owns.
type Stray struct {
	Key Key
	// App is the tracking name of the application that the object carries;
	// empty when it carries none of its own.
	App string
}

package address

import "strings"

// Holds reports whether an address is this one, or of something below it.
func (c Canonical) Holds(other Canonical) bool {
	return c.Scheme == other.Scheme && c.Host == other.Host && c.Port == other.Port &&
		below(c.Path, other.Path) && below(c.Query, other.Query)
}

// Chart is the repository in which a registry has a chart of a folder: the name of the
// chart may lead on from there.
func (c Canonical) Chart(name string) Canonical {
	c.Path = canonicalPath(c.Path+"/"+name, asIs)
	return c
}

// below holds everything for what is empty.
func below(folder, name string) bool {
	return folder == "" || name == folder || strings.HasPrefix(name, folder+"/")
}

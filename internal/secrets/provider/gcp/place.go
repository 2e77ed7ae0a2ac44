package gcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// place is where an entry is, and which version of it; the latest when that is empty.
type place struct{ project, location, secret, version string }

// parts of names of Secret Manager: anything else would lead elsewhere.
var parts = regexp.MustCompile(`^[A-Za-z0-9_\-]{1,255}$`)

// place reads a key: the name of a secret, or all of it as Google has it, which may be of
// another project and end with a version.
func (c Config) place(key, version string) (place, error) {
	if key == "" {
		return place{}, errors.New("the key is empty")
	}
	at := place{c.ProjectID, c.Location, key, version}
	if strings.Contains(key, "/") {
		var err error
		if at, err = c.whole(key, version); err != nil {
			return place{}, err
		}
	}
	switch {
	case !projects.MatchString(at.project) || !parts.MatchString(at.secret):
		return place{}, fmt.Errorf("the key %q is no name of a secret, nor projects/PROJECT/secrets/NAME", key)
	case at.version != "" && !parts.MatchString(at.version):
		return place{}, fmt.Errorf("the version %q is neither a number nor an alias", at.version)
	case at.location != c.Location:
		return place{}, fmt.Errorf("the key %q is of the location %q, and the store of %q: use a store of that location", key, at.location, c.Location)
	}
	return at, nil
}

// orders are those of the words in names.
var orders = []string{"projects secrets", "projects locations secrets", "projects secrets versions", "projects locations secrets versions"}

// whole reads projects/P[/locations/L]/secrets/S[/versions/V].
func (c Config) whole(key, version string) (place, error) {
	said, rest := map[string]string{}, strings.Split(key, "/")
	var order []string
	for len(rest) >= 2 { //nolint:mnd // a word and a name
		said[rest[0]] = rest[1]
		order, rest = append(order, rest[0]), rest[2:]
	}
	if len(rest) > 0 || !slices.Contains(orders, strings.Join(order, " ")) {
		return place{}, fmt.Errorf("the key %q is no name of a secret, nor projects/PROJECT/secrets/NAME", key)
	}
	if version == "" {
		version = said["versions"]
	}
	return place{said["projects"], said["locations"], said["secrets"], version}, nil
}

func parent(project, location string) string {
	if location == "" {
		return "projects/" + project
	}
	return "projects/" + project + "/locations/" + location
}

// name is that of the secret, as Google has it.
func (p place) name() string { return parent(p.project, p.location) + "/secrets/" + p.secret }

// String is how errors call it.
func (p place) String() string {
	if p.version == "" {
		return "secret " + p.secret + " of project " + p.project
	}
	return "version " + p.version + " of secret " + p.secret + " of project " + p.project
}

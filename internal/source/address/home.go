package address

import "strings"

// homes are the schemes whose servers read "~" and "~NAME" at the start of a path as a home folder.
var homes = map[string]bool{"ssh": true, "git": true}

// BelowHome leaves the home folder of who signs in out of a path in its one
// form: paths begin there as it is. That of anybody else stays.
func BelowHome(scheme, user, p string) string {
	first, rest, _ := strings.Cut(p, "/")
	if homes[scheme] && (first == "~" || strings.EqualFold(first, "~"+user)) {
		return rest
	}
	return p
}

// OtherPath is the path, in its one form, by which another user reaches the same
// repository: "~NAME/x" is what NAME calls "x". It is empty where there is none.
func (a Address) OtherPath() string {
	p := a.Canonical().Path
	if !homes[a.Scheme] || p == "" {
		return ""
	}
	if first, rest, _ := strings.Cut(p, "/"); strings.HasPrefix(first, "~") {
		return rest
	}
	if a.User == "" {
		return ""
	}
	return "~" + strings.ToLower(a.User) + "/" + p
}

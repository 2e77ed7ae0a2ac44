package gitops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Clash is that several cluster Secrets describe one name or one server.
type Clash struct {
	// Field is what they share: name or server.
	Field, Value string
	// Secrets in the order in which they count.
	Secrets []string
	// Used is the Secret that the engine uses; empty when it uses none.
	Used string
}

// String says it for people.
func (c Clash) String() string {
	text := fmt.Sprintf("%d cluster Secrets have the %s %q: %s; ", len(c.Secrets), c.Field, c.Value, strings.Join(c.Secrets, ", "))
	switch {
	case c.Field == clashName:
		return text + "destinations by this name are refused until each has another data.name"
	case c.Used == "":
		return text + "none of them can be used"
	}
	return text + "the engine uses " + c.Used + ": delete the others"
}

const (
	clashName   = "name"
	clashServer = "server"
)

// ServerKey is an address as destinations are compared with it.
func ServerKey(server string) string { return strings.TrimRight(server, "/") }

// Rank sorts clusters by name and Secret: of those with one server the first
// that can be used counts.
func Rank(a, b Cluster) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Secret, b.Secret))
}

// Clashes finds what several Secrets describe, by name first. Usable tells
// whether the Secret of a cluster can be used.
func Clashes(clusters []Cluster, usable func(Cluster) bool) []Clash {
	sorted := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.Secret == "" })
	slices.SortFunc(sorted, Rank)
	names := clashes(sorted, clashName, func(c Cluster) string { return c.Name })
	servers := clashes(sorted, clashServer, func(c Cluster) string { return ServerKey(c.Server) })
	for i := range servers {
		for _, c := range sorted {
			if slices.Contains(servers[i].Secrets, c.Secret) && usable(c) {
				servers[i].Used = c.Secret
				break
			}
		}
	}
	return append(names, servers...)
}

func clashes(sorted []Cluster, field string, of func(Cluster) string) []Clash {
	by := map[string][]string{}
	for _, c := range sorted {
		if value := of(c); value != "" {
			by[value] = append(by[value], c.Secret)
		}
	}
	var out []Clash
	for value, secrets := range by {
		if len(secrets) > 1 {
			out = append(out, Clash{Field: field, Value: value, Secrets: secrets})
		}
	}
	slices.SortFunc(out, func(a, b Clash) int { return strings.Compare(a.Value, b.Value) })
	return out
}

package gitops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Clash is that several cluster Secrets describe one name or one server, or that
// one has the name of the hub.
type Clash struct {
	// Field is what they share: name or server.
	Field, Value string
	// Secrets are sorted by the names of their clusters.
	Secrets []string
	// Used is the Secret that destinations lead to; empty when they lead nowhere.
	Used string
	// Hub tells that it is one Secret, which has the name of the hub and is not it.
	Hub bool
}

// String says it for people.
func (c Clash) String() string {
	if c.Hub {
		return fmt.Sprintf("cluster Secret %s has the name %q, which is that of the hub, and another server; destinations by this name lead to the hub: give the Secret another data.name", strings.Join(c.Secrets, ", "), c.Value)
	}
	text := fmt.Sprintf("%d cluster Secrets have the %s %q: %s; ", len(c.Secrets), c.Field, c.Value, strings.Join(c.Secrets, ", "))
	switch {
	case c.Used != "":
		return text + "the engine uses " + c.Used + ", because a ClusterSource made the others: delete it, or have the source leave the cluster out"
	case c.Field == clashName:
		return text + "destinations by this name are refused until each has another data.name"
	}
	return text + "destinations by this server are refused until one is left"
}

const (
	clashName   = "name"
	clashServer = "server"
)

// Rank sorts clusters by name and Secret.
func Rank(a, b Cluster) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Secret, b.Secret))
}

// Clashes finds what several Secrets describe, by name first.
func Clashes(clusters []Cluster) []Clash {
	sorted := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.Secret == "" })
	slices.SortFunc(sorted, Rank)
	names := clashes(sorted, clashName, nameOf)
	for _, c := range sorted {
		if c.Misnamed() {
			names = append(names, WithHub(c))
		}
	}
	return append(names, clashes(sorted, clashServer, func(c Cluster) string { return ServerKey(c.Server) })...)
}

// WithHub is the clash of a cluster that is Misnamed.
func WithHub(c Cluster) Clash {
	return Clash{Field: clashName, Value: c.Name, Secrets: []string{c.Secret}, Hub: true}
}

// nameOf is the name by which destinations find a cluster; empty for none.
func nameOf(c Cluster) string {
	if c.Misnamed() {
		return ""
	}
	return c.Name
}

func clashes(sorted []Cluster, field string, of func(Cluster) string) []Clash {
	by := map[string][]Cluster{}
	for _, c := range sorted {
		if value := of(c); value != "" {
			by[value] = append(by[value], c)
		}
	}
	var out []Clash
	for value, found := range by {
		if len(found) > 1 {
			out = append(out, clashOf(field, value, found))
		}
	}
	slices.SortFunc(out, func(a, b Clash) int { return strings.Compare(a.Value, b.Value) })
	return out
}

func clashOf(field, value string, found []Cluster) Clash {
	out := Clash{Field: field, Value: value}
	for _, c := range found {
		out.Secrets = append(out.Secrets, c.Secret)
	}
	if deciding := Deciding(found, Described); len(deciding) == 1 {
		out.Used = deciding[0].Secret
	}
	return out
}

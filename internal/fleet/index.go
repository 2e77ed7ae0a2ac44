package fleet

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// index finds clusters by what their Secrets say. Each list is by name and
// Secret. Who holds the fleet's lock may use it.
type index struct {
	byName, byServer, ofProject map[string][]*Cluster
	// all is nil after a change, until it is asked for.
	all []*Cluster
}

func newIndex() *index {
	return &index{byName: map[string][]*Cluster{}, byServer: map[string][]*Cluster{}, ofProject: map[string][]*Cluster{}}
}

// put adds a cluster as it is described now.
func (x *index) put(c *Cluster) {
	d := c.Desc()
	if d.Answers(d.Name) {
		insert(x.byName, d.Name, c)
	}
	insert(x.byServer, gitops.ServerKey(d.Server), c)
	if d.Project != "" { // most clusters belong to none: that list would be copied with each
		insert(x.ofProject, d.Project, c)
	}
	x.all = nil
}

// drop takes away a cluster that is described as it was put.
func (x *index) drop(c *Cluster) {
	d := c.Desc()
	remove(x.byName, d.Name, c)
	remove(x.byServer, gitops.ServerKey(d.Server), c)
	remove(x.ofProject, d.Project, c)
	x.all = nil
}

// change describes a cluster anew.
func (x *index) change(c *Cluster, d gitops.Cluster) {
	x.drop(c)
	c.describe(d)
	x.put(c)
}

// owns reports whether all that lead to a cluster's server, and count, belong to
// its project, and whether it is one of them.
func (x *index) owns(c *Cluster) bool {
	d := c.Desc()
	deciding := gitops.Deciding(x.byServer[gitops.ServerKey(d.Server)], (*Cluster).Desc)
	return slices.Contains(deciding, c) && !slices.ContainsFunc(deciding, func(o *Cluster) bool { return o.Desc().Project != d.Project })
}

// The lists are handed out: each change makes a new one.
func insert(of map[string][]*Cluster, key string, c *Cluster) {
	at, _ := slices.BinarySearchFunc(of[key], c, byName)
	of[key] = slices.Insert(slices.Clone(of[key]), at, c)
}

func remove(of map[string][]*Cluster, key string, c *Cluster) {
	left := slices.DeleteFunc(slices.Clone(of[key]), func(o *Cluster) bool { return o == c })
	if of[key] = left; len(left) == 0 {
		delete(of, key)
	}
}

func byName(a, b *Cluster) int {
	return gitops.Rank(*a.desc.Load(), *b.desc.Load())
}

package generate

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// paramSet is a parameter set with the clusters that it has anything of. What is in it
// does not tell: any generator may give a name, a server and labels.
type paramSet struct {
	Params

	of *Origin
}

// Origin is the clusters that a parameter set has anything of; nil is of none.
type Origin struct {
	// clusters are of the fleet that was expanded for; there are none where it may be any.
	clusters []*gitops.Cluster
}

// mostOrigins are the clusters of one set that are told apart.
const mostOrigins = 8

// anyCluster is of more clusters than are told apart.
var anyCluster = OriginOf()

// OriginOf is of some clusters; of those that are not known it may be any.
func OriginOf(clusters ...*gitops.Cluster) *Origin { return &Origin{clusters} }

// One is the only cluster; nil where there is none, and where there may be others.
func (o *Origin) One() *gitops.Cluster {
	if o == nil || len(o.clusters) != 1 {
		return nil
	}
	return o.clusters[0]
}

// Clusters are all of them; none where it may be any.
func (o *Origin) Clusters() []*gitops.Cluster {
	if o == nil {
		return nil
	}
	return o.clusters
}

// isAny reports whether it may be any cluster.
func (o *Origin) isAny() bool { return o != nil && len(o.clusters) == 0 }

// within reports whether all its clusters are another one's as well.
func (o *Origin) within(other *Origin) bool {
	switch {
	case o == nil || o == other || other.isAny():
		return true
	case other == nil || o.isAny():
		return false
	}
	return !slices.ContainsFunc(o.clusters, func(c *gitops.Cluster) bool { return !slices.Contains(other.clusters, c) })
}

// perOrigin is what one takes, and perCluster what each of its clusters does.
const (
	perOrigin  = 24
	perCluster = 8
)

// united has the clusters of both, and tells how many bytes that made.
func united(a, b *Origin) (of *Origin, made int) {
	switch {
	case b.within(a):
		return a, 0
	case a.within(b):
		return b, 0
	}
	all := make([]*gitops.Cluster, 0, len(a.clusters)+len(b.clusters))
	all = append(all, a.clusters...)
	for _, c := range b.clusters {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	if len(all) > mostOrigins {
		return anyCluster, 0
	}
	return &Origin{all}, perOrigin + cap(all)*perCluster
}

// together is the set that is made of two others, with the clusters of both; and how
// many bytes that made.
func together(a, b paramSet, join func(a, b Params) (both Params, made int, err error)) (both paramSet, made int, err error) {
	of, more := united(a.of, b.of)
	p, made, err := join(a.Params, b.Params)
	if err != nil {
		return paramSet{}, 0, &about{err, of}
	}
	return paramSet{p, of}, made + more, nil
}

// about is an error that may quote what is of some clusters.
type about struct {
	error

	of *Origin
}

func (a *about) Unwrap() error { return a.error }

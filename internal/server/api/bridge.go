package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Bridger tells what is known of clusters, and who reads it.
type Bridger interface {
	Bridge(ctx context.Context) (*Bridge, error)
	// Facts are what the cluster of a Secret tells of itself. They are not waited for
	// for long.
	Facts(ctx context.Context, secret, server string) *BridgeFacts
	// Suppose tells what follows from other metadata, of Applications that may be told of.
	Suppose(ctx context.Context, wish *BridgeWish, may Supposable) (*Supposed, error)
	// Without tells what sets delete when the cluster of a Secret is forgotten;
	// of Applications it tells the names of those that go, and no more.
	Without(ctx context.Context, secret string) (*Supposed, error)
}

// Bridge is the metadata of all clusters with their readers, as of a moment.
type Bridge struct {
	At       time.Time
	Clusters []BridgeCluster
	// Failures are of sets of which it is not known what they read.
	Failures []BridgeFailure

	// whole is the one that this is a part of.
	whole *wholeBridge
}

// BridgeFailure is why it is not known what a set reads.
type BridgeFailure struct {
	Set    BridgeSet
	Reason string
	// Keeps tells that the set deletes nothing meanwhile.
	Keeps bool
}

// BridgeSet is an ApplicationSet, by what policies judge it by.
type BridgeSet struct{ Namespace, Name, Project string }

// read is the access of who reads it.
func (b BridgeSet) read() reach.Access {
	return reach.Set("get", b.Project, view.Key{Namespace: b.Namespace, Name: b.Name})
}

// BridgeCluster is what is known of one cluster.
type BridgeCluster struct {
	Name    string      `json:"name"`
	Server  string      `json:"server"`
	Project string      `json:"project,omitempty"`
	Secret  string      `json:"secret,omitempty"`
	Keys    []BridgeKey `json:"keys"`
	Missing []BridgeKey `json:"missing" doc:"Keys that are read and not there; rendered as they stand."`
}

// BridgeKey is a label, an annotation, or another fact of a cluster.
type BridgeKey struct {
	In      string         `json:"in" enum:"label,annotation"`
	Name    string         `json:"name"`
	Value   string         `json:"value,omitempty"`
	Type    string         `json:"type,omitempty"`
	Schema  string         `json:"schema,omitempty" doc:"MetadataSchema that names the type; empty for a guess."`
	SetBy   string         `json:"setBy,omitempty" doc:"Field manager that wrote it."`
	SetAt   time.Time      `json:"setAt,omitzero"`
	Source  string         `json:"source,omitempty" doc:"The ClusterMetadata that wrote it, and for who may read all clusters where that has the value from."`
	Readers []BridgeReader `json:"readers"`
	Problem string         `json:"problem,omitempty" doc:"What a schema has against the value."`
	Nearest string         `json:"nearest,omitempty" doc:"Of a missing key: the one that may be meant."`
	// Metadata is Source without where the value comes from.
	Metadata string `json:"-"`
}

// BridgeFacts are what a cluster tells of itself, whether or not a ClusterMetadata
// makes keys of it.
type BridgeFacts struct {
	Facts  []BridgeFact `json:"facts"`
	Untold string       `json:"untold,omitempty" doc:"Why some facts, or all, are not known."`
}

// BridgeFact is one of them.
type BridgeFact struct {
	Name   string `json:"name" doc:"As in ClusterMetadata: kubernetesVersion, apiVersions, nodeCount, region, zone, architecture, provider."`
	Value  string `json:"value" doc:"Where nodes differ, and for several API versions, joined by commas."`
	Type   string `json:"type"`
	Source string `json:"source" doc:"Who tells it: the cluster."`
}

// BridgeReader is an ApplicationSet that reads a key.
type BridgeReader struct {
	Set          string   `json:"applicationSet"`
	Namespace    string   `json:"namespace,omitempty" doc:"Of the set and of its Applications."`
	Where        string   `json:"where,omitempty"`
	Selects      bool     `json:"selects,omitempty" doc:"A selector asks for it: it decides which Applications there are."`
	Loops        bool     `json:"loops,omitempty" doc:"The set takes all metadata at once."`
	Applications []string `json:"applications,omitempty"`
	// From is the set, for the rights alone.
	From BridgeSet `json:"-"`
}

// BridgeSummary counts the keys of one cluster.
type BridgeSummary struct {
	Name    string   `json:"name"`
	Server  string   `json:"server"`
	Secret  string   `json:"secret,omitempty"`
	Keys    int      `json:"keys"`
	Unread  int      `json:"unread" doc:"Keys that no ApplicationSet reads which you may read."`
	Missing []string `json:"missing"`
	Wrong   []string `json:"wrong" doc:"Keys that a schema has something against."`
}

// BridgeOverview is the bridge, counted.
type BridgeOverview struct {
	At       time.Time       `json:"at"`
	Clusters []BridgeSummary `json:"clusters"`
	// Keys of all clusters together.
	Keys     []BridgeFleetKey `json:"keys"`
	Failures []string         `json:"failures,omitempty"`
}

type clusterInput struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"Name of the cluster; that of its Secret, where several have the name or none has."`
}

func (s *server) bridge(a huma.API) {
	handle(a, operation("get-bridge", http.MethodGet, "/bridge", "bridge", "The metadata of all clusters, counted"), s.bridges)
	handle(a, operation("get-bridge-cluster", http.MethodGet, "/bridge/{cluster}", "bridge", "The metadata of a cluster: who set each key, and who reads it"), s.bridgeOf)
	handle(a, operation("get-bridge-facts", http.MethodGet, "/bridge/{cluster}/facts", "bridge", "What a cluster tells of itself: its version, its APIs, and what its nodes say"), s.bridgeFacts)
	s.bridgeKeys(a)
	s.bridgePreview(a)
}

func (s *server) bridges(ctx context.Context, _ *struct{}) (*ready[BridgeOverview], error) {
	b, sight, err := s.seenBridge(ctx)
	if err != nil {
		return nil, err
	}
	text, err := s.texts.of(b.seenAs(sight), func() (*text, int64, error) { return encoded(b.overview(sight)) })
	if err != nil {
		return nil, httpError(err)
	}
	return readyOf[BridgeOverview](text), nil
}

// overview counts what may be seen: it depends on the clusters that are left, and on
// the sets that may be read, alone. A key that only other sets read is unread.
func (b *Bridge) overview(sight *sight) *BridgeOverview {
	out := &BridgeOverview{At: b.At, Clusters: make([]BridgeSummary, 0, len(b.Clusters)), Keys: tallied(b.Clusters, sight)}
	for i := range b.Failures {
		if f := &b.Failures[i]; sight.of(f.Set) {
			out.Failures = append(out.Failures, f.Set.Name+": "+f.Reason)
		}
	}
	for i := range b.Clusters {
		c := b.Clusters[i]
		c.Missing = sight.missing(c.Missing)
		out.Clusters = append(out.Clusters, c.summary(sight))
	}
	return out
}

func (c *BridgeCluster) summary(sight *sight) BridgeSummary {
	out := BridgeSummary{Name: c.Name, Server: c.Server, Secret: c.Secret, Keys: len(c.Keys), Missing: []string{}, Wrong: []string{}}
	for i := range c.Keys {
		if !sight.reads(c.Keys[i].Readers) {
			out.Unread++
		}
		if c.Keys[i].Problem != "" {
			out.Wrong = append(out.Wrong, c.Keys[i].Name)
		}
	}
	for i := range c.Missing {
		out.Missing = append(out.Missing, c.Missing[i].Name)
	}
	return out
}

func (s *server) bridgeOf(ctx context.Context, in *clusterInput) (*answer[*BridgeCluster], error) {
	b, sight, err := s.seenBridge(ctx)
	if err != nil {
		return nil, err
	}
	i, err := called(b.Clusters, in.Cluster)
	if err != nil {
		return nil, err
	}
	c := b.Clusters[i]
	c.Keys, c.Missing = sight.keys(c.Keys), sight.missing(c.Missing)
	if !s.readsAll(ctx, b) {
		hideOrigins(c.Keys)
	}
	return &answer[*BridgeCluster]{&c}, nil
}

func (s *server) bridgeFacts(ctx context.Context, in *clusterInput) (*answer[*BridgeFacts], error) {
	b, err := s.mayBridge(ctx)
	if err != nil {
		return nil, err
	}
	i, err := called(b.Clusters, in.Cluster)
	if err != nil {
		return nil, err
	}
	return &answer[*BridgeFacts]{s.Bridge.Facts(ctx, b.Clusters[i].Secret, b.Clusters[i].Server)}, nil
}

// called is find, and an answer where there is none.
func called(all []BridgeCluster, name string) (int, error) {
	i := find(all, name)
	if i < 0 {
		return i, httpError(gitops.Problemf(gitops.NotFound, "there is no cluster %s, or you may not read it", name))
	}
	return i, nil
}

// find is the place of the cluster with a name; where several have it, or none
// has, of the one whose Secret is called so; -1 for none.
func find(all []BridgeCluster, name string) int {
	first := slices.IndexFunc(all, func(c BridgeCluster) bool { return c.Name == name })
	if first >= 0 && !slices.ContainsFunc(all[first+1:], func(c BridgeCluster) bool { return c.Name == name }) {
		return first
	}
	if secret := slices.IndexFunc(all, func(c BridgeCluster) bool { return c.Secret == name && name != "" }); secret >= 0 {
		return secret
	}
	return first
}

// mayBridge leaves the clusters that somebody may read.
func (s *server) mayBridge(ctx context.Context) (*Bridge, error) {
	if err := s.reach.Known(ctx); err != nil {
		return nil, httpError(err) // nobody is not kept waiting
	}
	looks, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	b, err := s.Bridge.Bridge(looks)
	if err != nil {
		return nil, httpError(err)
	}
	out := b.of(s.readsClusters(ctx, nil))
	out.whole = s.wholes.of(b)
	return out, nil
}

// of leaves the clusters that may be read.
func (b *Bridge) of(may func(server, project string) bool) *Bridge {
	out := *b
	out.Clusters = slices.DeleteFunc(slices.Clone(b.Clusters), func(c BridgeCluster) bool { return !may(c.Server, c.Project) })
	return &out
}

// readsClusters tells which clusters may be read; of some it is known that they may.
func (s *server) readsClusters(ctx context.Context, some []clusters.Health) func(server, project string) bool {
	type place struct{ server, project string }
	known := make(map[place]bool, len(some))
	for i := range some {
		known[place{some[i].Server, some[i].Project}] = true
	}
	return func(server, project string) bool {
		return known[place{server, project}] || s.reach.Permits(ctx, reach.Cluster("get", server, project))
	}
}

// readsAll reports whether somebody may read each cluster of the bridge, and any other.
func (s *server) readsAll(ctx context.Context, b *Bridge) bool {
	return len(b.Clusters) == len(b.whole.of.Clusters) && s.reach.Permits(ctx, reach.Cluster("get", "*", ""))
}

// hideOrigins leaves of what wrote the keys the names of ClusterMetadata: where these
// have values from are objects of any namespace of the hub.
func hideOrigins(all []BridgeKey) {
	for i := range all {
		all[i].Source = all[i].Metadata
	}
}

// sight is what somebody may read of the bridge.
type sight struct {
	set         func(BridgeSet) bool
	application func(name string) bool
	// asked are the sets that were asked for: each key has the same ones.
	asked map[BridgeSet]bool
}

func (s *server) sight(ctx context.Context, visible func(*view.Row) bool) *sight {
	out := s.sightOfSets(ctx)
	out.application = func(name string) bool {
		row := s.Index.Get(view.Key{Namespace: s.Namespace, Name: name})
		return row != nil && visible(row)
	}
	return out
}

// sightOfSets knows of no Applications.
func (s *server) sightOfSets(ctx context.Context) *sight {
	return &sight{
		set:         func(b BridgeSet) bool { return s.reach.Permits(ctx, b.read()) },
		application: func(string) bool { return false },
		asked:       map[BridgeSet]bool{},
	}
}

// of reports whether a set may be read.
func (v *sight) of(b BridgeSet) bool {
	may, known := v.asked[b]
	if !known {
		may = v.set(b)
		v.asked[b] = may
	}
	return may
}

// keys leaves out the sets, and the names of Applications, that may not be read.
func (v *sight) keys(all []BridgeKey) []BridgeKey {
	out := slices.Clone(all)
	for i := range out {
		out[i].Readers = slices.DeleteFunc(slices.Clone(out[i].Readers), func(r BridgeReader) bool { return !v.of(r.From) })
		for j := range out[i].Readers {
			r := &out[i].Readers[j]
			r.Namespace = r.From.Namespace
			r.Applications = slices.DeleteFunc(slices.Clone(r.Applications), func(name string) bool { return !v.application(name) })
		}
	}
	return out
}

// missing leaves out keys that only sets ask for which may not be read: they
// are known from the sets alone.
func (v *sight) missing(all []BridgeKey) []BridgeKey {
	return slices.DeleteFunc(v.keys(all), func(k BridgeKey) bool { return len(k.Readers) == 0 })
}

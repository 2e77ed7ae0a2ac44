package bridge

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Set is an ApplicationSet with what it gave.
type Set struct {
	*v1alpha1.ApplicationSet

	Expansion *generate.Expansion
	// Outlined tells that Expansion has no more of Applications than their names.
	Outlined bool
	// Err is why it gives nothing; what it read until then is in Expansion.
	Err error
	// Line finds where the set asks for a parameter; nil when the set is known
	// from a hub alone.
	Line func(parameter string) string
}

// Outline leaves of what a set gave the names of its Applications, and what Overview
// asks for beside them: the whole of a large one takes much, and there may be many.
func (s *Set) Outline() {
	e := s.Expansion
	s.Outlined = true
	if e == nil {
		return
	}
	out := &generate.Expansion{Of: e.Of, Reads: e.Reads, Warnings: e.Warnings, Applications: make([]v1alpha1.Application, len(e.Applications))}
	for i := range e.Applications {
		out.Applications[i].Name = e.Applications[i].Name
	}
	s.Expansion = out
}

// Reader is an ApplicationSet that reads a key.
type Reader struct {
	Set string `json:"applicationSet"`
	// Where the set asks for it: file:line, or the fields of the set.
	Where string `json:"where,omitempty"`
	// Selects tells that a selector asks for it: it decides which
	// Applications there are.
	Selects bool `json:"selects,omitempty"`
	// Loops tells that the set takes all metadata at once, and which keys
	// count is not known.
	Loops bool `json:"loops,omitempty"`
	// Applications of the cluster that the set makes, sorted.
	Applications []string `json:"applications,omitempty"`
}

// KeyReport is one key of a cluster.
type KeyReport struct {
	Key

	Value string `json:"value"`
	Type  Type   `json:"type"`
	// Schema that names the type; empty for a guess.
	Schema  string   `json:"schema,omitempty"`
	SetBy   Setter   `json:"setBy"`
	Readers []Reader `json:"readers"`
	// Problem is what a schema has against the value.
	Problem string `json:"problem,omitempty"`
}

// MissingKey is read and not there.
type MissingKey struct {
	Key

	Readers []Reader `json:"readers"`
	// Nearest is the key of the cluster that may be meant.
	Nearest string `json:"nearest,omitempty"`
}

// ClusterReport is what is known of one cluster.
type ClusterReport struct {
	Name    string       `json:"name"`
	Server  string       `json:"server"`
	Secret  string       `json:"secret,omitempty"`
	Keys    []KeyReport  `json:"keys"`
	Missing []MissingKey `json:"missing"`
	// Facts are what the cluster told when it was asked for this report, and Untold
	// why some are not known. Overview asks no cluster, and has none.
	Facts  []Fact `json:"facts,omitempty"`
	Untold string `json:"untold,omitempty"`
}

// Unread are the keys that nobody reads.
func (r ClusterReport) Unread() []KeyReport {
	return slices.DeleteFunc(slices.Clone(r.Keys), func(k KeyReport) bool { return len(k.Readers) > 0 })
}

// Overview tells of each cluster what is known of it, and who reads it, in the
// order of the clusters.
func Overview(clusters []Cluster, sets []Set, schemas []Schema) []ClusterReport {
	reading := newReadings(clusters, sets)
	out := make([]ClusterReport, 0, len(clusters))
	for i := range clusters {
		out = append(out, reading.report(&clusters[i], schemas))
	}
	return out
}

// readings has of each set what it asks for, looked up once for all clusters.
type readings struct {
	sets []setReading
	// anywhere are keys that some cluster of the fleet has.
	anywhere map[Key]bool
}

type setReading struct {
	Set

	// apps are the Applications of each cluster.
	apps  map[string][]string
	keys  []Key
	where map[Key]string
	// chosen are the keys that selectors ask for.
	chosen map[Key]bool
	loops  bool
}

func newReadings(clusters []Cluster, sets []Set) *readings {
	out := &readings{anywhere: map[Key]bool{}}
	for i := range clusters {
		for _, k := range clusters[i].Keys() {
			out.anywhere[k] = true
		}
	}
	for _, s := range sets {
		if s.Expansion != nil {
			out.sets = append(out.sets, readingOf(s))
		}
	}
	return out
}

func readingOf(s Set) setReading {
	out := setReading{Set: s, apps: map[string][]string{}, where: map[Key]string{}, chosen: map[Key]bool{}}
	for i, of := range s.Expansion.Of {
		app := s.Expansion.Applications[i].Name
		for _, c := range of.Clusters() {
			if apps := out.apps[c.Name]; len(apps) == 0 || apps[len(apps)-1] != app { // two may have one name
				out.apps[c.Name] = append(apps, app)
			}
		}
	}
	for _, parameter := range s.Expansion.Reads.Keys {
		if k, ok := keyOf(parameter); ok {
			out.keys = append(out.keys, k)
			out.where[k] = placeOf(s, k)
		}
	}
	for _, parameter := range s.Expansion.Reads.Chosen {
		if k, ok := keyOf(parameter); ok {
			out.chosen[k] = true
		}
	}
	out.loops = s.Expansion.Reads.Clusters && (s.Expansion.Reads.Asks(labelsPrefix+marker) || s.Expansion.Reads.Asks(annotationsPrefix+marker) ||
		s.Expansion.Reads.Asks("clusters."+marker))
	return out
}

// placeOf is where a set asks for a key: in its file, or else in which of its
// fields.
func placeOf(s Set, k Key) string {
	if s.Line != nil {
		return s.Line(k.Parameter())
	}
	return strings.Join(fieldsWith(s.ApplicationSet, k), ", ")
}

// reads tells how a set reads a key of a cluster; false when it does not.
func (s *setReading) reads(cluster string, k Key) (Reader, bool) {
	r := Reader{Set: s.Name, Where: s.where[k], Selects: s.chosen[k], Applications: s.apps[cluster]}
	if slices.Contains(s.keys, k) {
		return r, r.Selects || len(r.Applications) > 0
	}
	all := s.Expansion.Reads.Asks(k.Parameter()) || s.Expansion.Reads.Asks("clusters."+marker)
	r.Loops = all && s.loops
	return r, r.Loops && (len(r.Applications) > 0 || len(s.apps) == 0)
}

func (r *readings) readers(cluster string, k Key) []Reader {
	out := []Reader{}
	for i := range r.sets {
		if reader, ok := r.sets[i].reads(cluster, k); ok {
			out = append(out, reader)
		}
	}
	return out
}

func (r *readings) report(c *Cluster, schemas []Schema) ClusterReport {
	out := ClusterReport{Name: c.Name, Server: c.Server, Secret: c.Secret, Keys: []KeyReport{}, Missing: []MissingKey{}}
	broken := problemsByKey(schemas, c.Cluster)
	for _, k := range c.Keys() {
		value, _ := c.Value(k)
		t, schema := typeOf(schemas, c.Cluster, k)
		if schema == "" {
			t = GuessType(value)
		}
		out.Keys = append(out.Keys, KeyReport{Key: k, Value: value, Type: t, Schema: schema, SetBy: c.Set[k], Readers: r.readers(c.Name, k), Problem: broken[k]})
	}
	for _, k := range r.asked() {
		if _, there := c.Value(k); there || c.Secret == "" {
			continue
		}
		if m, ok := r.missing(c, k); ok {
			out.Missing = append(out.Missing, m)
		}
	}
	return out
}

// asked are all keys that some set reads.
func (r *readings) asked() []Key {
	var out []Key
	for i := range r.sets {
		out = append(out, r.sets[i].keys...)
	}
	return sortedKeys(out)
}

// missing reports whether a key that the cluster does not have is missed. A
// label that selectors ask for is how clusters are left out, unless no cluster
// has it at all.
func (r *readings) missing(c *Cluster, k Key) (MissingKey, bool) {
	out := MissingKey{Key: k}
	for _, reader := range r.readers(c.Name, k) {
		if reader.Selects && (r.anywhere[k] || len(reader.Applications) > 0) && !r.templated(reader.Set, k) {
			continue
		}
		out.Readers = append(out.Readers, reader)
	}
	if len(out.Readers) == 0 {
		return out, false
	}
	var known []string
	for _, has := range c.Keys() {
		if has.In == k.In {
			known = append(known, has.Name)
		}
	}
	if near, ok := gitops.Nearest(k.Name, known); ok {
		out.Nearest = near
	}
	return out, true
}

// templated reports whether a set has warned that a key has no value in its
// template, besides asking for it in a selector.
func (r *readings) templated(set string, k Key) bool {
	for i := range r.sets {
		if r.sets[i].Name != set {
			continue
		}
		return slices.ContainsFunc(r.sets[i].Expansion.Warnings, func(w gitops.Warning) bool { return w.Key == k.Parameter() })
	}
	return false
}

// Package chart finds charts: in the index of a Helm repository, and in a
// folder that holds charts as folders or archives.
//
// It chooses versions and reads files that it is given; it does not fetch.
package chart

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/version"
)

const (
	// mostMemory bounds what reading an index, or what it says of one chart, takes
	// while it lasts, in bytes. Of an index whose charts are found by their places
	// that is little more than its text.
	mostMemory = 192 << 20
	// mostCharts bounds those that are found without reading their releases.
	mostCharts = 100_000
)

// Weight is about what reading so many bytes of an index takes in memory, while
// it lasts.
func Weight(length int64) int64 {
	return min(2*length+length/2*bounded.PerValue, mostMemory) //nolint:mnd // a value has two bytes at least
}

// decode reads a text for which there is memory, with the text and the parts of it.
func decode(text []byte, into any) error {
	return bounded.DecodeUpTo(text, max(0, mostMemory-2*len(text))/bounded.PerValue, into)
}

// Release is one version of a chart in an index.
type Release struct {
	Version string   `yaml:"version"`
	URLs    []string `yaml:"urls"`
	// Digest is the SHA-256 of the archive; often empty.
	Digest string `yaml:"digest"`
}

// Index is what a repository's index.yaml says. The text is kept and only
// charts that are asked for are read: the largest indexes list thousands.
type Index struct {
	text  []byte
	spans map[string]span
	// parsed is set instead for an index whose charts are not found by their places,
	// broken for those of its charts that cannot be read.
	parsed map[string][]Release
	broken map[string]error
}

// span is where a chart's list of versions stands in the text.
type span struct{ from, to int }

// ParseIndex reads an index.yaml. It keeps the text.
func ParseIndex(data []byte) (*Index, error) {
	for _, split := range []func([]byte) map[string]span{splitYAML, splitJSON} {
		if spans := split(data); spans != nil {
			return &Index{text: data, spans: spans}, nil
		}
	}
	var raw struct {
		Entries map[string]yaml.Node `yaml:"entries"`
	}
	if err := decode(data, &raw); err != nil {
		return nil, unreadable("index.yaml", err)
	}
	if raw.Entries == nil {
		return nil, notAnIndex("index.yaml lists no charts")
	}
	out := &Index{parsed: make(map[string][]Release, len(raw.Entries)), broken: map[string]error{}}
	for name, node := range raw.Entries {
		var list []Release
		if err := bounded.DecodeNode(&node, &list); err != nil {
			list, out.broken[name] = nil, unreadable(inIndex(name), err) // it must not hide the others
		}
		out.parsed[name] = list
	}
	return out, nil
}

func notAnIndex(what string) error {
	return gitops.Problemf(gitops.Invalid, "%s", what).Do("check that the address is a Helm repository")
}

func unreadable(what string, err error) error {
	var much *bounded.TooMuch
	if errors.As(err, &much) {
		return gitops.Problemf(gitops.Invalid, "cannot read %s: it has more than %d %s", what, much.Most, much.What).
			Do("have the index written as `helm repo index` does, by which charts are found without reading all of it, or take old versions out of the repository")
	}
	return notAnIndex(fmt.Sprintf("cannot read %s: %v", what, err))
}

// splitYAML finds the charts of an index in the layout that Helm writes: names
// indented by two spaces below a line "entries:". It returns nil for others.
func splitYAML(data []byte) map[string]span {
	spans := map[string]span{}
	inside, name, from := false, "", 0
	end := func(at int) {
		if name != "" {
			spans[name] = span{from, at}
		}
		name = ""
	}
	for at := 0; at < len(data); {
		next := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		l := bytes.TrimRight(data[at:next], "\r\n")
		switch {
		case len(l) == 0 || l[0] == '#':
		case l[0] != ' ':
			end(at)
			inside = string(l) == "entries:"
		case inside && isKey(l):
			end(at)
			n, ok := plainKey(l[2:])
			if !ok {
				return nil
			}
			if name, from = n, next; len(spans) >= mostCharts {
				return nil
			}
		case inside && name == "":
			return nil
		}
		at = next
	}
	end(len(data))
	if len(spans) == 0 {
		return nil
	}
	return spans
}

// isKey tells a line with two spaces before a name.
func isKey(l []byte) bool { return len(l) > 3 && l[1] == ' ' && l[2] != ' ' && l[2] != '-' }

// plainKey reads "name:"; anything more has another layout.
func plainKey(l []byte) (string, bool) {
	name, ok := bytes.CutSuffix(l, []byte{':'})
	if !ok || bytes.ContainsAny(name, "\"':{}[]&*!|>%@`# ") {
		return "", false
	}
	return string(name), true
}

// What is kept of a chart, and of a release, besides their texts, in bytes.
const (
	perChart   = 64
	perRelease = 100
	perURL     = 16
)

// Size is about what the index takes of memory, in bytes.
func (x *Index) Size() int64 {
	size := len(x.text)
	for name := range x.spans {
		size += len(name) + perChart
	}
	for name, list := range x.parsed {
		size += len(name) + perChart
		for _, r := range list {
			size += len(r.Version) + len(r.Digest) + perRelease
			for _, u := range r.URLs {
				size += len(u) + perURL
			}
		}
	}
	return int64(size)
}

// Cost is about what listing the versions of a chart takes in memory while it
// lasts, with the index.
func (x *Index) Cost(name string) int64 {
	if x.spans == nil {
		return mostMemory
	}
	s := x.spans[name]
	return x.Size() + Weight(int64(s.to-s.from))
}

// Releases lists the versions of a chart.
func (x *Index) Releases(name string) ([]Release, error) {
	s, ok := x.spans[name]
	if !ok {
		return x.parsed[name], x.broken[name]
	}
	var list []Release
	if err := decode(x.text[s.from:s.to], &list); err != nil {
		return nil, unreadable(inIndex(name), err)
	}
	return list, nil
}

func inIndex(name string) string { return fmt.Sprintf("chart %q in index.yaml", name) }

// Find chooses the version of a chart that a revision asks for.
func (x *Index) Find(name, revision string) (Release, error) {
	list, err := x.Releases(name)
	if err != nil {
		return Release{}, err
	}
	if len(list) == 0 {
		return Release{}, unknownChart(name, x.names())
	}
	return choose(name, revision, list, func(r Release) string { return r.Version })
}

func (x *Index) names() []string {
	names := make([]string, 0, len(x.spans)+len(x.parsed))
	for n := range x.spans {
		names = append(names, n)
	}
	for n := range x.parsed {
		names = append(names, n)
	}
	return names
}

// unknownChart says which charts there are.
func unknownChart(name string, names []string) error {
	p := gitops.Problemf(gitops.NotFound, "chart %q is not in the repository", name)
	if len(names) == 0 {
		return p.Do("put a chart there, or correct repoURL: it holds none")
	}
	version.Sort(names)
	return p.Do("set chart to one of: " + version.Near(name, names))
}

// UnknownVersion says which versions of a chart there are.
func UnknownVersion(name, revision string, versions []string) error {
	p := gitops.Problemf(gitops.NotFound, "chart %q has no version %q", name, revision)
	if revision == "" || revision == "*" {
		p = gitops.Problemf(gitops.NotFound, "chart %q has no stable version", name)
	}
	version.Sort(versions)
	if len(versions) == 0 {
		return p
	}
	return p.Do("set targetRevision to a version or range that allows one of: " + version.First(versions))
}

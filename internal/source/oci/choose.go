package oci

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/chart"
	"github.com/causeway-gitops/causeway/internal/source/version"
)

// choose returns the tag that a revision asks for. Tags cannot hold the
// plus sign of versions; Helm writes an underscore instead.
func (v *View) choose(name, revision string) (string, error) {
	if isDigest(revision) || slices.Contains(v.tags, tagOf(revision)) {
		return tagOf(revision), nil
	}
	if version.IsLoose(revision) {
		return tagOf(revision), nil // no range there; the registry decides
	}
	versions := make([]string, len(v.tags))
	for i, t := range v.tags {
		versions[i] = versionOf(t)
	}
	if got, ok := version.Chart(revision, versions); ok {
		return tagOf(got), nil
	}
	if (len(v.tags) == 0 || v.more) && revision != "" && !version.IsRange(revision) {
		return tagOf(revision), nil // not listed; the registry decides
	}
	if v.err != nil {
		return "", v.err
	}
	return "", chart.UnknownVersion(name, revision, versions)
}

func isDigest(s string) bool { return strings.HasPrefix(s, "sha256:") }

func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }

// versionOf is what Helm wrote as a tag; a tag that is no version stays as it is.
func versionOf(tag string) string {
	if written := strings.ReplaceAll(tag, "_", "+"); version.Is(written) {
		return written
	}
	return tag
}

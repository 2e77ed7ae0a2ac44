package gitops

import (
	"io/fs"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// SourceRef names something to fetch: a Git repository, a chart in a Helm
// repository, or an OCI artifact, at a revision that may still be a branch,
// a tag or a version range.
type SourceRef struct {
	// RepoURL is the address as the user wrote it.
	RepoURL string
	// Chart is the chart's name in a Helm repository or OCI registry; empty
	// for Git and for a plain OCI artifact.
	Chart string
	// Revision is the requested branch, tag, commit, version or range; empty
	// means HEAD for Git and the newest stable version for charts.
	Revision string
	// TagPrefix is what Git tags have before the version that a range is compared
	// with. A range with one is refused: see source.Registry.
	TagPrefix string
	// Project is the AppProject on whose behalf is read; repository Secrets
	// that are scoped to another project are not used.
	Project string
	// PassCredentials sends the repository's credentials also to other hosts
	// that a chart repository's index names.
	PassCredentials bool
	// Anonymous reads without credentials: the project does not permit the
	// repository, so nothing that others signed in for may be seen.
	Anonymous bool
}

// SourceOf is one of an Application's sources at a revision, as it is fetched.
func SourceOf(app *v1alpha1.Application, s *v1alpha1.ApplicationSource, revision string) SourceRef {
	return SourceRef{
		RepoURL: s.RepoURL, Chart: s.Chart, Revision: revision, TagPrefix: s.TagPrefix, Project: app.Spec.GetProject(),
		PassCredentials: s.Helm != nil && s.Helm.PassCredentials,
	}
}

// What a reference may have, in bytes: what is longer names nothing that there is, and
// whoever writes it would have it kept, and told again, in many places.
const (
	longestAddress  = 4 << 10
	longestRevision = 1 << 10
	longestChart    = 253 // no registry takes more
)

// Check refuses a reference that is too long to name anything. Nothing of it is
// repeated: an address may have a password in it.
func (r SourceRef) Check() error {
	for _, part := range []struct {
		field, text string
		most        int
	}{{"repoURL", r.RepoURL, longestAddress}, {"targetRevision", r.Revision, longestRevision}, {"chart", r.Chart, longestChart}} {
		if len(part.text) > part.most {
			return Problemf(Invalid, "cannot read a source whose %s has %d characters: %d is the most", part.field, len(part.text), part.most).
				Do("correct " + part.field)
		}
	}
	return nil
}

// SignatureRule says how a Git revision has to be signed.
type SignatureRule struct {
	// Keys are the IDs of the keys that may sign.
	Keys []string
	// History asks for the signatures of all ancestors, too.
	History bool
}

// FetchError names the reference that could not be fetched. It is found in the
// causes of a Problem, whose place may be the file that has the reference.
type FetchError struct {
	Ref SourceRef
	Err error
}

func (e *FetchError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// MissingSource names the reference whose content is not at hand where
// nothing may be fetched: the cause of each Problem of kind NotMirrored.
type MissingSource struct {
	Ref SourceRef
}

func (m *MissingSource) Error() string {
	switch {
	case m.Ref.Chart != "" && m.Ref.Revision != "":
		return "chart " + m.Ref.Chart + " at " + m.Ref.Revision + " is not here"
	case m.Ref.Chart != "":
		return "chart " + m.Ref.Chart + " is not here"
	}
	return "the repository is not here" // its address may have a password
}

// Tree is an immutable, content-addressed file tree, rooted at ".". It
// follows the rules of fs.FS; symbolic links that leave it cannot be opened.
type Tree interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
	// Digest names the content of a file, or of a folder with everything
	// below it, without reading the files. Equal digests mean equal content.
	// The error is fs.ErrNotExist when nothing is there.
	Digest(name string) (string, error)
}

// Snapshot is what a SourceRef resolved to at one moment.
type Snapshot struct {
	Ref SourceRef
	// Revision is the resolved one: a full commit hash, an exact chart
	// version, or an OCI digest.
	Revision string
	// Tree is the repository's root, or the chart's folder.
	Tree Tree
	// Commit is set for Git sources only.
	Commit *Commit
}

// MostCommitText bounds what is kept of the author of a commit, and of its
// subject, in bytes: Git takes any length, and pages show one line.
const MostCommitText = 1 << 10

// Commit says who made a Git revision, and when.
type Commit struct {
	Author  string
	Date    time.Time
	Message string // the first line
}

// RepoChange says that a repository may have new content: a poll, a webhook
// or a local edit found so.
type RepoChange struct {
	// Repos are the names by which applications know the repository, see
	// address.Folded, in order.
	Repos []string
	// Revisions are the requested revisions (branches, tags, ranges) that
	// moved; empty means any of them may have.
	Revisions []string
}

// Concerns reports whether a change may move what a revision of a repository
// resolves to, by the repository's name.
func (c RepoChange) Concerns(repo, revision string) bool {
	if _, is := slices.BinarySearch(c.Repos, repo); !is {
		return false
	}
	return len(c.Revisions) == 0 || slices.Contains(c.Revisions, revision)
}

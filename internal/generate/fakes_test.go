package generate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// fakeClusters is a fleet.
type fakeClusters []gitops.Cluster

func (f fakeClusters) Clusters(context.Context) ([]gitops.Cluster, error) { return f, nil }

// fakeProjects are the projects that exist.
type fakeProjects []string

func (f fakeProjects) HasProject(_ context.Context, name string) (bool, error) {
	return slices.Contains(f, name), nil
}

// anyProject has every project.
type anyProject struct{}

func (anyProject) HasProject(context.Context, string) (bool, error) { return true, nil }

// fakeRepos are repositories by address; every revision has the same content.
type fakeRepos map[string]gitops.Tree

func (f fakeRepos) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	tree, ok := f[plainURL(ref.RepoURL)]
	if !ok {
		return nil, gitops.Problemf(gitops.NotFound, "repository %s does not exist", ref.RepoURL)
	}
	return &gitops.Snapshot{Ref: ref, Revision: "0123456789012345678901234567890123456789", Tree: tree}, nil
}

func plainURL(url string) string { return strings.TrimSuffix(strings.TrimRight(url, "/"), ".git") }

// dirTree is a tree over any file system.
type dirTree struct{ fs.FS }

func (d dirTree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.FS, name) }
func (d dirTree) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(d.FS, name) }
func (d dirTree) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(d.FS, name) }

func (d dirTree) Digest(name string) (string, error) {
	text, err := fs.ReadFile(d.FS, name)
	if err != nil {
		return "", fmt.Errorf("cannot hash %s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func bufioReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }

// replaced replaces pairs of texts in a set.
func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

func repeated(text string, n int) string { return strings.Repeat(text, n) }

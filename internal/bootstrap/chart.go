package bootstrap

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/causeway-gitops/causeway/deploy/charts"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what is read of the built-in chart.
const (
	maxChartFiles = 1_000
	maxChartBytes = 16 << 20
)

// builtIn is the chart of this program as renderers see a repository.
type builtIn struct{ files fs.FS }

var _ gitops.Tree = builtIn{}

func chartTree() (gitops.Tree, error) {
	files, err := charts.Causeway()
	if err != nil {
		return nil, fmt.Errorf("cannot read the built-in chart: %w", err)
	}
	return builtIn{files}, nil
}

// Open implements fs.FS.
func (b builtIn) Open(name string) (fs.File, error) { return b.files.Open(name) }

// ReadFile implements fs.ReadFileFS.
func (b builtIn) ReadFile(name string) ([]byte, error) { return fs.ReadFile(b.files, name) }

// ReadDir implements fs.ReadDirFS.
func (b builtIn) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(b.files, name) }

// Stat implements fs.StatFS.
func (b builtIn) Stat(name string) (fs.FileInfo, error) { return fs.Stat(b.files, name) }

// Digest implements gitops.Tree.
func (b builtIn) Digest(name string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(b.files, name, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(b.files, at)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", at, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

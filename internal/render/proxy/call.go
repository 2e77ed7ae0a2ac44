package proxy

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// op is what a worker asks for.
type op string

const (
	opStat     op = "Stat"
	opReadDir  op = "ReadDir"
	opReadFile op = "ReadFile"
	opDigest   op = "Digest"
	opSnapshot op = "Snapshot"
	opFile     op = "File"
	opRun      op = "Run"
)

// Call is a question of a worker.
type Call struct {
	Op op
	// Tree is the number of the snapshot whose tree is asked, Name a path in it.
	Tree int    `json:",omitempty"`
	Name string `json:",omitempty"`
	// Ref is the reference of a Snapshot.
	Ref *gitops.SourceRef `json:",omitempty"`
	// Rule is what holds for the address of a File, which is the Name.
	Rule *source.Rule `json:",omitempty"`
	// Job is what is to be Run in a copy of the tree.
	Job *source.Job `json:",omitempty"`
}

// longestName bounds a path or address that is asked for, in bytes: nothing that there
// is has a longer one.
const longestName = 4 << 10

func (c Call) check() error {
	if len(c.Name) > longestName {
		return &fs.PathError{Op: "open", Path: gitops.First(c.Name, shownName), Err: errLongName}
	}
	if c.Ref != nil {
		if err := c.Ref.Check(); err != nil {
			return err
		}
	}
	if c.Job != nil {
		return c.Job.Check()
	}
	return nil
}

// shownName is what is repeated of a name that is too long, in bytes.
const shownName = 64

var errLongName = fmt.Errorf("the name has more than %d bytes: %w", longestName, fs.ErrNotExist)

// Reply answers one; the text of a file, the list of a folder, and what a job prints, is
// the body of its message. That of a small file comes with what Stat tells, as it is read next, and
// its digest.
type Reply struct {
	Failure  *Failure  `json:",omitempty"`
	Entry    *entry    `json:",omitempty"`
	Digest   string    `json:",omitempty"`
	Whole    bool      `json:",omitempty"`
	Snapshot *Snapshot `json:",omitempty"`
	// Warnings are what a job has to tell.
	Warnings []gitops.Warning `json:",omitempty"`
}

// Known is a question that a task will ask, with its answer: it need not be asked.
type Known struct {
	Call  Call
	Reply Reply
	// Length is that of the text, in bytes; the texts follow one another.
	Length int `json:",omitempty"`
}

// Snapshot is a gitops.Snapshot without its tree, which has a number.
type Snapshot struct {
	Tree     int
	Ref      gitops.SourceRef
	Revision string
}

// entry is what is told of a file or folder.
type entry struct {
	Base    string
	Length  int64       `json:",omitempty"`
	Bits    fs.FileMode `json:",omitempty"`
	Changed time.Time   `json:",omitzero"`
}

var _ fs.FileInfo = entry{}

// Name implements fs.FileInfo.
func (e entry) Name() string { return e.Base }

// Size implements fs.FileInfo.
func (e entry) Size() int64 { return e.Length }

// Mode implements fs.FileInfo.
func (e entry) Mode() fs.FileMode { return e.Bits }

// ModTime implements fs.FileInfo.
func (e entry) ModTime() time.Time { return e.Changed }

// IsDir implements fs.FileInfo.
func (e entry) IsDir() bool { return e.Bits.IsDir() }

// Sys implements fs.FileInfo.
func (entry) Sys() any { return nil }

// Type implements fs.DirEntry.
func (e entry) Type() fs.FileMode { return e.Bits.Type() }

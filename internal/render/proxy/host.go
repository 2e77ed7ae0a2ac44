package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Snapshots fetches a repository, chart or artifact.
type Snapshots interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Files reads single files by their address, within a rule. A file that is not
// there is fs.ErrNotExist.
type Files interface {
	File(ctx context.Context, url string, r source.Rule) ([]byte, error)
}

const (
	// maxFile bounds a file that a worker is given, in bytes. It is more than a
	// render reads of one.
	maxFile = 64 << 20
	// maxList bounds the list of a folder, in bytes.
	maxList = 16 << 20
	// maxSnapshots bounds the places elsewhere that one worker asks for, maxFailures the
	// errors that it is told and that may be the cause of its own, and maxPlaces where
	// what it tells may lie.
	maxSnapshots = 2_000
	maxFailures  = 10_000
	maxPlaces    = 20_000
	// maxKept bounds the texts of each of the three, in bytes.
	maxKept = 4 << 20
	// smallFile bounds a file that is given before it is asked for, in bytes.
	smallFile = 32 << 10
)

// Engine is what a Host answers with besides the snapshots; it may lack all of it.
type Engine struct {
	// Rule is what holds for addresses. What is read is read for its Project, whatever
	// a worker says.
	Rule     source.Rule
	Remotes  Snapshots
	Files    Files
	Programs source.Programs
	// Passing: a source of the Application has its repository's credentials sent to
	// other hosts. It is not so for others, whatever a worker says.
	Passing bool
	// Variables are the build environment of a source, which plugins get whatever a
	// worker says; none when nil.
	Variables func(source int) environ.Env
}

// Host answers the questions of one task. It is not for concurrent use.
type Host struct {
	engine    Engine
	snapshots []*gitops.Snapshot
	// sources are the snapshots that the task began with.
	sources int
	// answers are those about what lies elsewhere, in the order in which it was asked for.
	answers map[gitops.SourceRef]answer
	asked   []gitops.SourceRef
	// places are those in which what was given lies.
	places   map[place]bool
	failures []error
	// What may still be kept of each.
	askedRoom, placesRoom, failuresRoom room

	last      gitops.Origin
	elsewhere bool
}

// NewHost has the snapshots that a task begins with, numbered from 0.
func NewHost(snapshots []*gitops.Snapshot, engine Engine) *Host {
	h := &Host{
		snapshots: snapshots, sources: len(snapshots), engine: engine, answers: map[gitops.SourceRef]answer{}, places: map[place]bool{},
		askedRoom: maxKept, placesRoom: maxKept, failuresRoom: maxKept,
	}
	for _, s := range snapshots {
		h.gave(s.Ref.RepoURL, s.Revision)
	}
	return h
}

// Elsewhere reports whether anything was given that is in none of the snapshots that
// the task began with.
func (h *Host) Elsewhere() bool { return h.elsewhere }

// Last is the place that was read last: a file, or a folder of which all was given
// before it was asked for.
func (h *Host) Last() gitops.Origin { return h.last }

// Begin are the snapshots that a task begins with, as a Guest is told.
func (h *Host) Begin() []Snapshot {
	out := make([]Snapshot, 0, len(h.snapshots))
	for i, s := range h.snapshots {
		out = append(out, Snapshot{Tree: i, Ref: s.Ref, Revision: s.Revision})
	}
	return out
}

// Answer answers a question. Errors are a part of it.
func (h *Host) Answer(ctx context.Context, c Call) (Reply, []byte) {
	r, body, err := h.answer(ctx, c)
	if err != nil {
		return Reply{Failure: h.failure(err), Warnings: r.Warnings}, nil
	}
	return r, body
}

func (h *Host) answer(ctx context.Context, c Call) (r Reply, body []byte, err error) {
	if err := ctx.Err(); err != nil {
		return r, nil, err
	}
	if err := c.check(); err != nil {
		return r, nil, err
	}
	switch c.Op {
	case opSnapshot:
		r.Snapshot, err = h.snapshot(ctx, c.Ref)
		return r, nil, err
	case opFile:
		body, err = h.file(ctx, c)
		return r, body, err
	case opStat, opReadDir, opReadFile, opDigest, opRun:
	}
	if c.Tree < 0 || c.Tree >= len(h.snapshots) {
		return r, nil, fmt.Errorf("no tree has the number %d", c.Tree)
	}
	if c.Op == opRun {
		return h.run(ctx, c.Tree, c.Job)
	}
	return h.read(h.snapshots[c.Tree], c)
}

func (h *Host) read(s *gitops.Snapshot, c Call) (r Reply, body []byte, err error) {
	switch c.Op {
	case opStat:
		if r, body, err = stat(s.Tree, c.Name); r.Whole {
			h.reads(s, c.Name)
		}
		return r, body, err
	case opReadDir:
		body, err = h.list(s, c.Name)
	case opReadFile:
		h.reads(s, c.Name)
		body, err = s.Tree.ReadFile(c.Name)
		if len(body) > maxFile {
			return r, nil, fmt.Errorf("cannot read %s: it has %d bytes, more than %d", c.Name, len(body), maxFile)
		}
	case opDigest:
		r.Digest, err = s.Tree.Digest(c.Name)
	case opSnapshot, opFile, opRun:
	default:
		err = fmt.Errorf("nothing is known of %q", c.Op)
	}
	return r, body, err
}

func (h *Host) reads(s *gitops.Snapshot, name string) {
	h.last = h.at(s, name)
}

// stat tells of a file, and gives it where it is small.
func stat(tree gitops.Tree, name string) (r Reply, body []byte, err error) {
	info, err := tree.Stat(name)
	if err != nil {
		return r, nil, err
	}
	r.Entry = &entry{Base: info.Name(), Length: info.Size(), Bits: info.Mode(), Changed: info.ModTime()}
	if !info.Mode().IsRegular() || info.Size() > smallFile {
		return r, nil, nil
	}
	if r.Digest, err = tree.Digest(name); err != nil {
		return Reply{Entry: r.Entry}, nil, nil //nolint:nilerr // it is told when it is asked for
	}
	if body, err = tree.ReadFile(name); err != nil {
		return Reply{Entry: r.Entry}, nil, nil //nolint:nilerr // as above
	}
	r.Whole = true
	return r, body, nil
}

// list gives what a folder has, as far as it is told without looking at each.
func (h *Host) list(s *gitops.Snapshot, name string) ([]byte, error) {
	found, err := s.Tree.ReadDir(name)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, e := range found {
		size += len(e.Name()) + perEntry
		if len(e.Name()) > longestName || size > maxList {
			return nil, gitops.Problemf(gitops.Invalid, "cannot list the folder %s: its names are too long, or too many", name).
				At(h.at(s, name)).Do("keep what is no part of the application elsewhere")
		}
	}
	return writeList(found, size), nil
}

func (*Host) at(s *gitops.Snapshot, name string) gitops.Origin {
	return gitops.Origin{RepoURL: s.Ref.RepoURL, Revision: s.Revision, File: name}
}

func (h *Host) snapshot(ctx context.Context, ref *gitops.SourceRef) (*Snapshot, error) {
	if h.engine.Remotes == nil || ref == nil {
		return nil, errors.New("nothing is read from elsewhere here")
	}
	h.elsewhere = true
	own := h.own(*ref)
	if a, ok := h.answers[own]; ok {
		return a.snapshot, a.err
	}
	if len(h.asked) >= maxSnapshots || !h.askedRoom.take(len(own.RepoURL)+len(own.Chart)+len(own.Revision)) {
		return nil, errTooMany
	}
	s, err := h.engine.Remotes.Snapshot(ctx, own)
	if ctx.Err() != nil && err != nil {
		return nil, err // an answer that says nothing of the reference
	}
	a := answer{err: h.kept(err)}
	if err == nil {
		h.snapshots = append(h.snapshots, s)
		h.gave(s.Ref.RepoURL, s.Revision)
		a.snapshot = &Snapshot{Tree: len(h.snapshots) - 1, Ref: s.Ref, Revision: s.Revision}
	}
	h.answers[own], h.asked = a, append(h.asked, own)
	return a.snapshot, a.err
}

func (h *Host) file(ctx context.Context, c Call) ([]byte, error) {
	if h.engine.Files == nil || c.Rule == nil {
		return nil, errors.New("no files are read by their address here")
	}
	h.elsewhere = true
	text, err := h.engine.Files.File(ctx, c.Name, h.rule(c.Rule.Schemes))
	if err == nil {
		h.gave(c.Name, "")
	}
	return text, err
}

// rule is the engine's, with those of its schemes that are asked for.
func (h *Host) rule(asked []string) source.Rule {
	out := h.engine.Rule
	out.Schemes = nil
	for _, scheme := range asked {
		if slices.Contains(h.engine.Rule.Schemes, scheme) {
			out.Schemes = append(out.Schemes, scheme)
		}
	}
	return out
}

// run runs a plugin's commands. What they print may be another thing the next time.
func (h *Host) run(ctx context.Context, number int, j *source.Job) (r Reply, body []byte, err error) {
	if h.engine.Programs == nil || j == nil || number >= h.sources {
		return r, nil, errors.New("no programs are run here")
	}
	s := h.snapshots[number]
	h.elsewhere = true
	h.reads(s, j.Path)
	j.Tree, j.Origin, j.Env = s.Tree, h.at(s, ""), h.environment(number, j.Env)
	printed, err := h.engine.Programs.Run(ctx, *j)
	return Reply{Warnings: printed.Warnings}, printed.Output, err
}

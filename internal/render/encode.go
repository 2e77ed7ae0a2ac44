package render

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// encode writes an entry; decode reads it.
func encode(e *entry) []byte {
	w := &wire.Writer{}
	w.Blob(e.key[:])
	w.Int(len(e.logs))
	for _, l := range e.logs {
		l.Write(w)
	}
	e.facts.Write(w)
	w.Int(len(e.remotes))
	for _, r := range e.remotes {
		r.write(w)
	}
	w.Text(e.digest)
	w.Int(len(e.types))
	for _, t := range e.types {
		w.Text(string(t))
	}
	w.Texts(e.revisions)
	w.Int(len(e.warnings))
	for _, warning := range e.warnings {
		w.Text(warning.Reason)
		w.Text(warning.Message)
		writeOrigin(w, warning.Origin)
		w.Int(warning.More)
	}
	writeProblem(w, e.err)
	w.Uint(uint64(max(e.bytes, 0)))
	w.Uint(uint64(max(e.weight, 0)))
	w.Int(len(e.origins))
	for _, o := range e.origins {
		writeOrigin(w, o)
	}
	w.Blob(e.packed)
	return w.Bytes()
}

// readsOfFile is how many questions there are for each file that a render may read: what
// it looked for and did not find, kinds and folders count as no file.
const readsOfFile = 16

// decode reads an entry, within the limits of a render: a worker may have written it.
// Nothing of it shares memory with the text.
func decode(text []byte, l Limits) (*entry, error) {
	r := wire.NewReader(text, wire.Most)
	e, reads := &entry{}, readsOfFile*l.Files
	log := func() *record.Log {
		one := record.ReadLog(r, reads)
		reads -= one.Len()
		return one
	}
	copy(e.key[:], r.Blob())
	e.logs = items(r, r.Count(perLog), log)
	e.facts = record.ReadFacts(r)
	e.remotes = items(r, r.CountTo(l.Remotes, perRemote), func() remoteLog { return readRemote(r, log) })
	e.digest = r.Text()
	e.types = items(r, r.Count(perText), func() gitops.SourceType { return gitops.SourceType(r.Text()) })
	e.revisions = r.Texts()
	e.warnings = items(r, r.CountTo(mostWarnings, perWarning), func() gitops.Warning {
		return gitops.Warning{Reason: r.Text(), Message: r.Text(), Origin: readOrigin(r), More: r.Int()}
	})
	e.err = readProblem(r)
	e.bytes, e.weight = int64(r.Int()), int64(r.Int())
	e.origins = items(r, r.CountTo(l.Objects, perOrigin), func() gitops.Origin { return readOrigin(r) })
	e.packed = bytes.Clone(r.Blob())
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Len() > 0 || len(e.revisions) != len(e.logs) || e.bytes > l.Output {
		return nil, wire.ErrBroken
	}
	return e, nil
}

// items reads a list; it is nil when empty.
func items[T any](r *wire.Reader, n int, item func() T) []T {
	if n == 0 {
		return nil
	}
	out := make([]T, 0, n)
	for range n {
		if r.Err() != nil {
			return nil
		}
		out = append(out, item())
	}
	return out
}

func (l remoteLog) write(w *wire.Writer) {
	w.Texts([]string{l.ref.RepoURL, l.ref.Chart, l.ref.Revision, l.ref.Project, l.revision})
	w.Bool(l.ref.PassCredentials)
	w.Bool(l.log != nil)
	if l.log != nil {
		l.log.Write(w)
	}
}

func readRemote(r *wire.Reader, log func() *record.Log) remoteLog {
	const most = 5
	texts := append(items(r, r.CountTo(most, perText), r.Text), make([]string, most)...)
	l := remoteLog{ref: gitops.SourceRef{RepoURL: texts[0], Chart: texts[1], Revision: texts[2], Project: texts[3]}, revision: texts[4]}
	l.ref.PassCredentials = r.Bool()
	if r.Bool() {
		l.log = log()
	}
	return l
}

func writeOrigin(w *wire.Writer, o gitops.Origin) {
	w.Int(o.Source)
	w.Text(o.RepoURL)
	w.Text(o.Revision)
	w.Text(o.File)
	w.Int(o.Line)
}

func readOrigin(r *wire.Reader) gitops.Origin {
	return gitops.Origin{Source: r.Int(), RepoURL: r.Text(), Revision: r.Text(), File: r.Text(), Line: r.Int()}
}

// writeProblem writes an error that lasts, see entry.lasting: it is a
// Problem, or nil.
func writeProblem(w *wire.Writer, err error) {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		w.Bool(false)
		return
	}
	w.Bool(true)
	w.Int(int(p.Kind))
	w.Text(p.What)
	writeOrigin(w, p.Where)
	w.Text(p.Advice())
	w.Bool(errors.Is(err, fs.ErrNotExist))
}

func readProblem(r *wire.Reader) error {
	if !r.Bool() {
		return nil
	}
	p := &gitops.Problem{Kind: gitops.ProblemKind(r.Int()), What: r.Text(), Where: readOrigin(r), Fix: r.Text()}
	if r.Bool() {
		p.Err = fs.ErrNotExist
	}
	return p
}

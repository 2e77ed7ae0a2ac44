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

// decode reads an entry. Nothing of it shares memory with the text.
func decode(text []byte) (*entry, error) {
	r := wire.NewReader(text)
	e := &entry{}
	copy(e.key[:], r.Blob())
	for range r.Count() {
		e.logs = append(e.logs, record.ReadLog(r))
	}
	e.facts = record.ReadFacts(r)
	for range r.Count() {
		e.remotes = append(e.remotes, readRemote(r))
	}
	e.digest = r.Text()
	for range r.Count() {
		e.types = append(e.types, gitops.SourceType(r.Text()))
	}
	e.revisions = r.Texts()
	for range r.Count() {
		e.warnings = append(e.warnings, gitops.Warning{Reason: r.Text(), Message: r.Text(), Origin: readOrigin(r), More: r.Int()})
	}
	e.err = readProblem(r)
	e.bytes, e.weight = int64(r.Int()), int64(r.Int())
	n := r.Count()
	e.origins = make([]gitops.Origin, 0, n)
	for range n {
		e.origins = append(e.origins, readOrigin(r))
	}
	e.packed = bytes.Clone(r.Blob())
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Len() > 0 || len(e.revisions) != len(e.logs) || e.bytes > maxPacked {
		return nil, wire.ErrBroken
	}
	return e, nil
}

// maxPacked bounds the memory that a kept entry may ask for.
const maxPacked = 1 << 30

func (l remoteLog) write(w *wire.Writer) {
	w.Texts([]string{l.ref.RepoURL, l.ref.Chart, l.ref.Revision, l.ref.Project, l.revision})
	w.Bool(l.ref.PassCredentials)
	w.Bool(l.log != nil)
	if l.log != nil {
		l.log.Write(w)
	}
}

func readRemote(r *wire.Reader) remoteLog {
	texts := append(r.Texts(), make([]string, 5)...)
	l := remoteLog{ref: gitops.SourceRef{RepoURL: texts[0], Chart: texts[1], Revision: texts[2], Project: texts[3]}, revision: texts[4]}
	l.ref.PassCredentials = r.Bool()
	if r.Bool() {
		l.log = record.ReadLog(r)
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

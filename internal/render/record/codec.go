package record

import (
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// Write writes the log.
func (l *Log) Write(w *wire.Writer) {
	w.Text(l.root)
	w.Text(l.folder)
	w.Text(l.digest)
	w.Int(len(l.answers))
	for _, a := range l.answers {
		w.Uint(uint64(a.question))
		w.Text(a.name)
		w.Text(a.want)
	}
}

// What is made of an item, in bytes, without its texts.
const (
	perAnswer = 40
	perFact   = 64
)

// ReadLog reads a log of no more than so many answers; errors are the reader's.
func ReadLog(r *wire.Reader, most int) *Log {
	l := &Log{root: r.Text(), folder: r.Text(), digest: r.Text()}
	n := r.CountTo(most, perAnswer)
	l.answers = make([]answer, 0, n)
	for range n {
		q := r.Uint()
		l.answers = append(l.answers, answer{note{question(min(q, 255)), r.Text()}, r.Text()})
	}
	return l
}

// Write writes the log.
func (l FactsLog) Write(w *wire.Writer) {
	w.Text(l.version)
	w.Text(l.apis)
	w.Int(len(l.has))
	for _, name := range slices.Sorted(maps.Keys(l.has)) {
		w.Text(name)
		w.Bool(l.has[name])
	}
}

// ReadFacts reads a log of facts; errors are the reader's.
func ReadFacts(r *wire.Reader) FactsLog {
	l := FactsLog{version: r.Text(), apis: r.Text()}
	for range r.Count(perFact) {
		if l.has == nil {
			l.has = map[string]bool{}
		}
		name := r.Text()
		l.has[name] = r.Bool()
	}
	return l
}

package marks

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Bounds of what is kept. An operation that its Application still tells of is
// kept beside these.
const (
	keptFor = time.Hour
	kept    = 4096
	// longest is what a mark has at most: somebody may write another one.
	longest = 64
)

// Verbs of operations.
const (
	Sync     = "sync"
	Rollback = "rollback"
)

// What is said of an operation of which nothing else is told.
const (
	textWaits = "the engine has not begun yet"
	textLost  = "its end was not seen: another operation of the application came after it; the history of the application has it"
	textGone  = "the application was deleted before its end was seen"
)

// Operation is one as it was told last.
type Operation struct {
	Mark string
	App  view.Key
	Verb string
	// Phase is empty before it begins, and where its end was not seen.
	Phase    string
	Message  string
	By       string
	Revision string
	// Started is when it was asked for, until it begins.
	Started time.Time
	// Ended is zero until it is over.
	Ended time.Time
}

// Over reports whether it has ended.
func (o *Operation) Over() bool { return !o.Ended.IsZero() }

// Marks are the operations that are known. They are safe for concurrent use.
type Marks struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*known
	// of are those that an Application tells of, or is about to.
	of map[view.Key][]string
	// past are those that none does any more, the oldest first.
	past []string
}

type known struct {
	Operation

	// seen: its Application has told of it.
	seen bool
	left time.Time
}

// New makes one that knows none.
func New(now func() time.Time) *Marks {
	return &Marks{now: now, all: map[string]*known{}, of: map[view.Key][]string{}}
}

// Ask notes an operation that was written just now: whoever wrote it may look
// for it before the watch tells of it.
func (m *Marks) Ask(app view.Key, mark, verb, by string) {
	if m == nil || !fits(mark) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[mark] == nil {
		app = view.Key{Namespace: strings.Clone(app.Namespace), Name: strings.Clone(app.Name)} // they are parts of an address
		m.add(Operation{Mark: mark, App: app, Verb: verb, By: by, Message: textWaits, Started: m.now().UTC()})
	}
}

// See takes an Application as it is now, with who asked for its last operation.
func (m *Marks) See(app *v1alpha1.Application, asker string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := view.Key{Namespace: app.Namespace, Name: app.Name}
	var told []string
	if app.Operation != nil {
		told = m.waits(key, app.Operation)
	}
	if st := app.Status.OperationState; st != nil {
		told = append(told, m.goes(key, st, asker)...)
	}
	m.leave(key, told, textLost)
}

// Gone is See for an Application that is no more.
func (m *Marks) Gone(key view.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mark := range m.of[key] {
		m.all[mark].seen = true // nothing will tell of it any more
	}
	m.leave(key, nil, textGone)
}

// Get is an operation by its mark.
func (m *Marks) Get(mark string) (Operation, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	o := m.all[mark]
	if o == nil {
		return Operation{}, false
	}
	return o.Operation, true
}

// waits takes an operation that is asked for. It returns the mark where it has one.
func (m *Marks) waits(key view.Key, op *v1alpha1.Operation) []string {
	o := m.find(key, op)
	if o == nil {
		return nil
	}
	o.Phase, o.Message, o.Revision, o.Ended = "", textWaits, "", time.Time{}
	return []string{o.Mark}
}

// goes takes an operation that began.
func (m *Marks) goes(key view.Key, st *v1alpha1.OperationState, asker string) []string {
	o := m.find(key, &st.Operation)
	if o == nil {
		return nil
	}
	o.Phase, o.Message, o.By, o.Started, o.Ended = string(st.Phase), st.Message, asker, st.StartedAt.UTC(), time.Time{}
	if st.SyncResult != nil {
		o.Revision = st.SyncResult.Revision
	}
	if st.Ended() {
		o.Ended = m.now().UTC()
	}
	if st.Ended() && st.FinishedAt != nil {
		o.Ended = gitops.Moment(st.FinishedAt.Time)
	}
	return []string{o.Mark}
}

// find is an operation of an Application, which is known from now on; nil for
// one without a mark. A mark is of the Application that bore it first: whoever
// may read it could write it into another one.
func (m *Marks) find(key view.Key, op *v1alpha1.Operation) *known {
	mark := Of(op)
	if !fits(mark) {
		return nil
	}
	o := m.all[mark]
	if o == nil {
		o = m.add(Operation{Mark: mark, App: key, Verb: verbOf(op), Started: m.now().UTC()})
	}
	if o.App != key {
		return nil
	}
	if !slices.Contains(m.of[key], mark) { // it is told of again
		m.of[key] = append(m.of[key], mark)
		m.past = slices.DeleteFunc(m.past, func(other string) bool { return other == mark })
	}
	o.seen = true
	return o
}

func (m *Marks) add(op Operation) *known {
	o := &known{Operation: op}
	m.all[op.Mark] = o
	m.of[op.App] = append(m.of[op.App], op.Mark)
	return o
}

// leave puts those of an Application into the past that it does not tell of any
// more. One that it has never told of is about to be.
func (m *Marks) leave(key view.Key, told []string, why string) {
	var left []string
	now := m.now().UTC()
	for _, mark := range m.of[key] {
		o := m.all[mark]
		if slices.Contains(told, mark) || !o.seen && now.Sub(o.Started) < keptFor {
			left = append(left, mark)
			continue
		}
		if !o.Over() {
			o.Phase, o.Message, o.Ended = "", why, now
		}
		o.left = now
		m.past = append(m.past, mark)
	}
	m.of[key] = left
	if len(left) == 0 {
		delete(m.of, key)
	}
	m.forget()
}

// forget drops what is in the past for too long, and, where there are too many,
// the oldest of the Application that has the most: anybody may write marks into
// their own.
func (m *Marks) forget() {
	now, n := m.now(), 0
	for n < len(m.past) && now.Sub(m.all[m.past[n]].left) > keptFor {
		delete(m.all, m.past[n])
		n++
	}
	m.past = slices.Delete(m.past, 0, n)
	for len(m.past) > kept {
		i := m.first(m.most())
		delete(m.all, m.past[i])
		m.past = slices.Delete(m.past, i, i+1)
	}
}

// most is the Application that has the most in the past; of several the one that
// came to as many first.
func (m *Marks) most() (found view.Key) {
	of := map[view.Key]int{}
	for _, mark := range m.past {
		key := m.all[mark].App
		if of[key]++; of[key] > of[found] {
			found = key
		}
	}
	return found
}

// first is where the oldest one of an Application is in the past.
func (m *Marks) first(of view.Key) int {
	return slices.IndexFunc(m.past, func(mark string) bool { return m.all[mark].App == of })
}

// Of is the mark of an operation; empty for none.
func Of(op *v1alpha1.Operation) string {
	i := slices.IndexFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoRequest })
	if i < 0 {
		return ""
	}
	return op.Info[i].Value
}

func fits(mark string) bool { return mark != "" && len(mark) <= longest }

func verbOf(op *v1alpha1.Operation) string {
	if slices.ContainsFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoRollback }) {
		return Rollback
	}
	return Sync
}

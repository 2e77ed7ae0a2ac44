package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// SessionsSecret keeps which sessions were ended before their time.
//
// An entry PERSON says that all sessions of somebody that began before a time
// have ended; an entry PERSON.ID that one has. Both are digests, so that the
// Secret names nobody. A value is two times in seconds, "WHEN UNTIL": before
// which sessions have ended, or when the one began; and from when on none of
// them would count anyway, so that the entry can go.
const SessionsSecret = "causeway-sessions"

// Bounds of what is kept. A Secret holds a mebibyte.
const (
	endingsBytes = 800 << 10
	// endingsEach are single sessions of one person. Who ends more of them ends
	// also those that began before the oldest half of them.
	endingsEach = 32
	// endingTries are how often a write is tried that another replica was faster than.
	endingTries = 10
	// turnTime is how long one waits for others who write.
	turnTime = 30 * time.Second
	// ahead is how far in the future a session begins at most, by way of what was
	// ended or set several times in a second. Tokens are read that begin in 30 s.
	ahead = 20 * time.Second
	// skew is how far clocks may differ.
	skew = time.Minute
)

var errTurn = errors.New("others have been writing it for " + turnTime.String())

// Endings keeps which sessions have ended in a Secret, and what it says in memory.
type Endings struct {
	keptSecret

	now func() time.Time
	// writing is held by who writes: those of one replica do not get in each other's way.
	writing chan struct{}

	// With the lock of what is kept.
	at   string // version of the Secret itself; empty where there is none
	size int
	all  map[string]span            // by person
	each map[string]map[string]span // by person and session
}

// span is the value of an entry.
type span struct{ when, until time.Time }

func (s span) text() []byte { return fmt.Appendf(nil, "%d %d", s.when.Unix(), s.until.Unix()) }

// NewEndings keeps them in a Secret of the namespace.
func NewEndings(secrets corev1client.SecretInterface, log *slog.Logger) *Endings {
	e := &Endings{keptSecret: keptSecret{secrets: secrets, name: SessionsSecret, what: "sessions that have ended", log: log}, now: time.Now, writing: make(chan struct{}, 1)}
	e.taken = e.take
	return e
}

// digest is short, and a key of a Secret's data.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// take is told what the Secret says, with the lock held.
func (e *Endings) take(s *corev1.Secret) {
	e.at, e.size = "", 0
	e.all, e.each = map[string]span{}, map[string]map[string]span{}
	if s.Name != "" {
		e.at = s.ResourceVersion
	}
	for name, text := range s.Data {
		e.size += len(name) + len(text)
		var when, until int64
		if n, err := fmt.Sscanf(string(text), "%d %d", &when, &until); n != 2 || err != nil {
			e.log.Warn("an entry of sessions that have ended cannot be read, and ends none", "secret", SessionsSecret, "entry", name)
			continue
		}
		of := span{time.Unix(when, 0), time.Unix(until, 0)}
		person, id, one := strings.Cut(name, ".")
		if !one {
			e.all[person] = of
			continue
		}
		if e.each[person] == nil {
			e.each[person] = map[string]span{}
		}
		e.each[person][id] = of
	}
}

// Check implements session.Endings.
func (e *Endings) Check(t *token.Token) error {
	person := digest(t.User.Person())
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.read {
		return e.unread()
	}
	if _, ended := e.each[person][digest(t.ID)]; ended || t.IssuedAt.Before(e.all[person].when) {
		return session.ErrEnded
	}
	return nil
}

// Since implements session.Endings.
func (e *Endings) Since(u *auth.User) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[digest(u.Person())].when
}

// EndAll implements session.Endings. It counts when it returns. Tokens have
// whole seconds: what begins in this one is taken for what began before, and so
// is what began in the next one, since when a password counts that was just set.
func (e *Endings) EndAll(ctx context.Context, u *auth.User) error {
	person, next := digest(u.Person()), e.now().Truncate(time.Second).Add(2*time.Second)
	return e.change(ctx, func() map[string]any {
		before := next
		if was := e.all[person].when; !was.Before(before) && was.Before(before.Add(ahead)) {
			before = was.Add(time.Second) // some began since, in the same second
		}
		return e.endAll(person, before)
	})
}

// endAll is what is written for all sessions of a person, with the lock held.
func (e *Endings) endAll(person string, before time.Time) map[string]any {
	data := map[string]any{}
	if was := e.all[person].when; was.After(before) {
		before = was
	}
	data[person] = span{before, before.Add(session.MaxLife + skew)}.text()
	for id, one := range e.each[person] {
		if one.when.Before(before) {
			data[person+"."+id] = nil
		}
	}
	return data
}

// End implements session.Endings. It counts when it returns.
func (e *Endings) End(ctx context.Context, t *token.Token) error {
	if t.ID == "" { // there is nothing to tell it from others by
		return e.EndAll(ctx, t.User)
	}
	person := digest(t.User.Person())
	until := t.IssuedAt.Add(session.MaxLife)
	if t.Expires.Before(until) && !t.Expires.IsZero() {
		until = t.Expires
	}
	one := span{t.IssuedAt, until.Add(skew)}
	return e.change(ctx, func() map[string]any {
		data := map[string]any{}
		if len(e.each[person]) >= endingsEach {
			data = e.endAll(person, middle(e.each[person]))
		}
		data[person+"."+digest(t.ID)] = one.text()
		return data
	})
}

// middle is the time before which half of some sessions began.
func middle(of map[string]span) time.Time {
	var all []time.Time
	for _, one := range of {
		all = append(all, one.when)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all[len(all)/2].Add(time.Second)
}

// change writes what is to be different from what is known, anew where another
// replica was faster. What is called has the lock.
func (e *Endings) change(ctx context.Context, what func() map[string]any) error {
	ctx = context.WithoutCancel(ctx) // who goes away has still ended it
	select {
	case e.writing <- struct{}{}:
		defer func() { <-e.writing }()
	case <-time.After(turnTime):
		return e.unwritten(errTurn)
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	var err error
	for range endingTries {
		if err = e.tried(ctx, what); !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		if _, err := e.list(ctx); err != nil {
			return e.unwritten(err)
		}
	}
	return e.unwritten(err)
}

func (e *Endings) unwritten(err error) error {
	return gitops.Problemf(gitops.Unreachable, "cannot write Secret %s, which keeps %s: %w", e.name, e.what, err).Do("try again")
}

// tried tries to write once.
func (e *Endings) tried(ctx context.Context, what func() map[string]any) error {
	if err := e.fit(); err != nil {
		return err
	}
	data, at, err := e.next(what)
	if err != nil {
		return err
	}
	if at == "" {
		if err := e.create(ctx); err != nil {
			return err
		}
		return apierrors.NewConflict(corev1.Resource("secrets"), e.name, nil)
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": at}, "data": data})
	if err != nil {
		return fmt.Errorf("cannot encode Secret %s: %w", e.name, err)
	}
	s, err := e.patch(ctx, patch)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return err
	}
	if err != nil {
		return e.unwritten(err)
	}
	e.put(s)
	return nil
}

// next is what is to be written, and to which version.
func (e *Endings) next(what func() map[string]any) (data map[string]any, at string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.read {
		return nil, "", e.unread()
	}
	data = what()
	if e.size-e.prune(data) > endingsBytes {
		return nil, "", gitops.Problemf(gitops.NotReady, "Secret %s has no room for the end of one more session", SessionsSecret).
			Do("delete the Secret after the key that sessions are signed with was changed, which ends all")
	}
	return data, e.at, nil
}

// prune takes out what would not count anyway, and returns how many bytes that
// frees. It has the lock.
func (e *Endings) prune(data map[string]any) (freed int) {
	now := e.now()
	drop := func(name string, of span) {
		if _, is := data[name]; !is && now.After(of.until) {
			data[name] = nil
			freed += len(name) + len(of.text())
		}
	}
	for person, of := range e.all {
		drop(person, of)
	}
	for person, each := range e.each {
		for id, one := range each {
			drop(person+"."+id, one)
		}
	}
	return freed
}

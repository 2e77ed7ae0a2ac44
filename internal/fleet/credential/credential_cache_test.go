package credential

import (
	"context"
	"errors"
	"testing"
	"time"
)

// slow is a source that gives a second credential only when it is told to.
type slow struct {
	calls   int
	expires time.Time
	asked   chan struct{}
	give    chan error
}

func (s *slow) Get(ctx context.Context) (Credential, error) {
	if s.calls++; s.calls == 1 {
		return Credential{Token: "first", Expires: s.expires}, nil
	}
	s.asked <- struct{}{}
	select {
	case err := <-s.give:
		return Credential{Token: "second", Expires: s.expires.Add(time.Hour)}, err
	case <-ctx.Done():
		return Credential{}, ctx.Err()
	}
}

// TestOnlyWhoRenewsWaits asks for a credential, and tells of answers, while
// somebody renews it.
func TestOnlyWhoRenewsWaits(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason string
		// renews has a renewal begin.
		renews func(context.Context, *kept, *Credential) (*Credential, error)
		err    error
		want   string // what who renews gets
	}{
		"Ahead":   {"the first one is good yet", func(ctx context.Context, k *kept, _ *Credential) (*Credential, error) { return k.get(ctx) }, nil, "second"},
		"Fails":   {"and stays so when there is no other one", func(ctx context.Context, k *kept, _ *Credential) (*Credential, error) { return k.get(ctx) }, errors.New("no"), "first"},
		"Refused": {"another server may take the first one", func(ctx context.Context, k *kept, c *Credential) (*Credential, error) { return k.instead(ctx, c) }, nil, "second"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := start
			s := &slow{expires: start.Add(time.Hour), asked: make(chan struct{}), give: make(chan error)}
			k := newKept(s, 0)
			k.now = func() time.Time { return now }
			first, err := k.get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			now = start.Add(time.Hour - time.Minute)
			type got struct {
				c   *Credential
				err error
			}
			done := make(chan got)
			go func() {
				c, err := tc.renews(t.Context(), k, first)
				done <- got{c, err}
			}()
			<-s.asked
			if c, err := k.get(t.Context()); err != nil || c != first {
				t.Errorf("%s: others get %v, %v", tc.reason, c, err)
			}
			k.taken(first)
			s.give <- tc.err
			if g := <-done; g.err != nil || g.c.Token != tc.want {
				t.Errorf("%s: who renews gets %v, %v, want %s", tc.reason, g.c, g.err, tc.want)
			}
			if s.calls != 2 {
				t.Errorf("%d calls, want 2", s.calls)
			}
		})
	}
}

// TestNoneThatIsGoodWaits asks for a credential when the first one has ended:
// all get the second one, which is got once.
func TestNoneThatIsGoodWaits(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &slow{expires: now.Add(time.Hour), asked: make(chan struct{}), give: make(chan error)}
	k := newKept(s, 0)
	k.now = func() time.Time { return now }
	if _, err := k.get(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	const many = 5
	tokens := make(chan string, many)
	for range many {
		go func() {
			c, err := k.get(t.Context())
			if err != nil {
				tokens <- err.Error()
				return
			}
			tokens <- c.Token
		}()
	}
	<-s.asked
	s.give <- nil
	for range many {
		if token := <-tokens; token != "second" {
			t.Errorf("somebody gets %q", token)
		}
	}
	if s.calls != 2 {
		t.Errorf("%d calls, want 2", s.calls)
	}
}

package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// ringOf has keys as a Secret of a version says.
func ringOf(t *testing.T, now *time.Time, version int, keys ...*key.Key) *Keyring {
	t.Helper()
	r := NewKeyring(nil, nil, nil, slog.New(slog.DiscardHandler))
	r.now = func() time.Time { return *now }
	r.put(secretOf(t, version, keys...))
	return r
}

func secretOf(t *testing.T, version int, keys ...*key.Key) *corev1.Secret {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.Itoa(version)}, Data: map[string][]byte{"broken": []byte("x")}}
	for _, k := range keys {
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		s.Data[k.ID] = text
	}
	return s
}

func TestKeysThatCount(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	k, text := key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.Local}, "", now), key.Scope{ReadOnly: true}, now, time.Hour)
	_, forged := key.New("ci", k.Owner, k.Scope, now, time.Hour)
	id, _, _ := key.Split(text)
	_, wrong, _ := key.Split(forged)
	r := ringOf(t, &now, 7, k)
	if found, err := r.Find(t.Context(), text); err != nil || found.ID != k.ID || found.User().Limit == nil {
		t.Errorf("a key is not found: %v", err)
	}
	for _, text := range []string{forged, key.Prefix + id + "_" + wrong, key.Prefix + id + "_" + k.Hash, "causeway_x"} {
		if _, err := r.Find(t.Context(), text); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("%q is answered with %v", text, err)
		}
	}
	now = now.Add(time.Hour)
	if _, err := r.Find(t.Context(), text); err == nil || !strings.Contains(err.Error(), "the API key ci expired at 2026-05-01T13:00:00Z") {
		t.Errorf("one that has expired: %v", err)
	}
	now = now.Add(-time.Hour)
	r.put(secretOf(t, 8))
	r.put(secretOf(t, 7, k))       // what comes late brings nothing back
	r.listed(7, secretOf(t, 7, k)) // nor a list that was asked for before
	if _, err := r.Find(t.Context(), text); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("one that was revoked: %v", err)
	}
	empty := NewKeyring(nil, nil, nil, slog.New(slog.DiscardHandler))
	if _, err := empty.Find(t.Context(), text); err == nil || errors.Is(err, session.ErrUnknown) {
		t.Errorf("before any was read: %v", err)
	}
}

func TestKeysHaveARate(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	owner := key.OwnerOf(&auth.User{Name: "ann", Via: auth.Local}, "", now)
	k, text := key.New("ci", owner, key.Scope{ReadOnly: true}, now, time.Hour)
	other, of := key.New("cd", owner, key.Scope{ReadOnly: true}, now, time.Hour)
	r := ringOf(t, &now, 7, k, other)
	r.uses = session.NewTries(0, 2)
	for i, want := range []error{nil, nil, session.ErrBusy} {
		if _, err := r.Find(t.Context(), text); !errors.Is(err, want) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if _, err := r.Find(t.Context(), of); err != nil {
		t.Errorf("another key: %v", err)
	}
}

// Who signs in with fewer groups than a key knows has a key with fewer, and one
// who signed in before does not give them back.
func TestKeysLoseWhatTheirOwnersLose(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ann := func(groups ...string) *auth.User {
		return &auth.User{Name: "ann", Via: auth.OIDC, Groups: groups, Claims: map[string]any{"sub": "1", "groups": groups}}
	}
	k, text := key.New("ci", key.OwnerOf(ann("admins", "team"), "https://id.example.com", now), key.Scope{ReadOnly: true}, now, time.Hour)
	r := ringOf(t, &now, 7, k)
	groups := func() string {
		t.Helper()
		found, err := r.Find(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found.User().Groups, " ")
	}
	r.Seen(ann("team"), now.Add(-time.Minute))
	if got := groups(); got != "admins team" {
		t.Errorf("an older session made it %q", got)
	}
	r.Seen(&auth.User{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": "2"}}, now.Add(time.Minute))
	if got := groups(); got != "admins team" {
		t.Errorf("somebody of that name made it %q", got)
	}
	r.Seen(ann("team"), now.Add(time.Minute))
	r.put(secretOf(t, 8, k)) // what is not written yet stays
	if got := groups(); got != "team" {
		t.Errorf("a newer session made it %q", got)
	}
	if len(r.notes) != 2 { // that, and that it was used
		t.Errorf("what is to be written: %v", r.notes)
	}
	old := ann("admins", "team")
	old.Known = now.Add(-time.Minute)
	if got := knownAt(old, now); !got.Equal(old.Known) {
		t.Errorf("a key that an old session makes has its groups as of %s", got)
	}
	renamed := ann()
	renamed.Name = "queen"
	r.Seen(renamed, now.Add(2*time.Minute))
	if found, err := r.Find(t.Context(), text); err != nil || found.Owner.Name != "queen" || len(found.User().Groups) != 0 {
		t.Errorf("who has another name and no group now has a key of %+v: %v", found.Owner, err)
	}
}

// many are groups that make an owner large.
func many(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("group-%03d-%s", i, strings.Repeat("x", 90)))
	}
	return out
}

// Who makes as many keys as they can leaves room for others.
func TestKeysOfOnePersonHaveAPart(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var all []*key.Key
	r := ringOf(t, &now, 1)
	fill := func(name string) (made int, err error) {
		t.Helper()
		u := &auth.User{Name: name, Via: auth.OIDC, Issuer: "https://id.example.com", Sub: name, Groups: many(60)}
		for {
			k, _ := key.New(fmt.Sprint("key ", made), key.OwnerOf(u, u.Issuer, now), key.Scope{ReadOnly: true}, now, time.Hour)
			kept, marshal := json.Marshal(k)
			if marshal != nil {
				t.Fatal(marshal)
			}
			if _, err = r.room(u, k, kept); err != nil {
				return made, err
			}
			made++
			all = append(all, k)
			r.put(secretOf(t, len(all)+1, all...))
		}
	}
	const people = 10
	for n := range people {
		made, err := fill(fmt.Sprint("person-", n))
		if made == 0 || !strings.Contains(err.Error(), "your API keys take") {
			t.Fatalf("person %d has %d keys: %v", n, made, err)
		}
	}
	if r.size > people*keysOfOne {
		t.Errorf("they take %d bytes", r.size)
	}
	// All of them are known by other names, and groups as long, from now on.
	now = now.Add(time.Minute)
	secret := secretOf(t, 1000, all...)
	for n := range people {
		r.Seen(&auth.User{Name: fmt.Sprint("renamed-", n), Via: auth.OIDC, Issuer: "https://id.example.com", Sub: fmt.Sprint("person-", n), Groups: many(75)}, now)
	}
	size := 0
	for name, text := range r.notes {
		note, is := text.([]byte)
		if !is {
			t.Fatalf("%s is noted as %v", name, text)
		}
		secret.Data[name] = note
	}
	for name, text := range secret.Data {
		size += len(name) + len(text)
	}
	if size > people*keysOfOne || len(r.notes) != len(all) {
		t.Errorf("with %d owners as they are known later they take %d bytes", len(r.notes), size)
	}
}

// A Secret that is full of keys which expired so long ago that nobody sees them has
// room: they go for a new one.
func TestForgottenKeysMakeRoom(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var all []*key.Key
	for size, n := 0, 0; size <= keysBytes; n++ {
		name := fmt.Sprint("person-", n)
		u := &auth.User{Name: name, Via: auth.OIDC, Issuer: "https://id.example.com", Sub: name, Groups: many(60)}
		k, _ := key.New("ci", key.OwnerOf(u, u.Issuer, now), key.Scope{ReadOnly: true}, now, time.Hour)
		kept, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		all, size = append(all, k), size+roomOf(k, kept, nil).all()
	}
	r := ringOf(t, &now, 1, all...)
	ann := &auth.User{Name: "ann", Via: auth.Local}
	k, _ := key.New("cd", key.OwnerOf(ann, "", now), key.Scope{ReadOnly: true}, now, time.Hour)
	if _, err := r.room(ann, k, nil); err == nil || !strings.Contains(err.Error(), "no room for more API keys") {
		t.Errorf("while they are shown: %v", err)
	}
	now = now.Add(2*time.Hour + shownEnded)
	if listed, err := r.Keys(t.Context()); err != nil || len(listed) != 0 {
		t.Errorf("%d are shown, %v", len(listed), err)
	}
	going, err := r.room(ann, k, nil)
	if err != nil || len(going) != len(all)*len(gone("")) {
		t.Errorf("%d entries go for a new one, want those of %d keys: %v", len(going), len(all), err)
	}
}

// Keys that have no room for more groups lose what their owner loses all the same.
func TestKeysWithoutRoomLoseGroups(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ann := func(groups ...string) *auth.User {
		return &auth.User{Name: "ann", Via: auth.OIDC, Issuer: "https://id.example.com", Sub: "1", Groups: groups, Claims: map[string]any{"sub": "1", "groups": groups}}
	}
	k, text := key.New("ci", key.OwnerOf(ann("admins", "team"), "https://id.example.com", now), key.Scope{ReadOnly: true}, now, time.Hour)
	r := ringOf(t, &now, 7, k)
	groups := func() string {
		t.Helper()
		found, err := r.Find(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found.User().Groups, " ")
	}
	large := append(many(100), "team")
	r.Seen(ann(large...), now.Add(time.Minute))
	if got := groups(); got != "team" {
		t.Errorf("with no room for all it has the groups %q", got)
	}
	note, is := r.notes[k.ID+ownerEntry].([]byte)
	if !is || strings.Contains(string(note), "admins") {
		t.Errorf("what is written: %s", note)
	}
	r.notes = map[string]any{}
	r.Seen(ann(large...), now.Add(2*time.Minute))
	if len(r.notes) != 0 {
		t.Errorf("the same is written again: %v", r.notes)
	}
	r.Seen(ann("team", "more"), now.Add(3*time.Minute))
	if got := groups(); got != "team more" {
		t.Errorf("with room again it has the groups %q", got)
	}
}

// Who goes away while somebody else makes a key is not kept.
func TestKeysAreMadeInTurn(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := ringOf(t, &now, 7)
	r.making <- struct{}{}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := r.Create(ctx, &auth.User{Name: "ann", Via: auth.Local}, &api.NewKey{Name: "ci"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// What was noted of a key goes with it.
func TestNotesOfRevokedKeysGo(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	k, text := key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.Local}, "", now), key.Scope{ReadOnly: true}, now, time.Hour)
	r := ringOf(t, &now, 7, k)
	if _, err := r.Find(t.Context(), text); err != nil || len(r.notes) != 1 {
		t.Fatalf("there are %d notes, %v", len(r.notes), err)
	}
	r.put(secretOf(t, 8))
	r.noteNow(t.Context())
	if len(r.notes) != 0 {
		t.Errorf("there are %d notes of a key that is gone", len(r.notes))
	}
}

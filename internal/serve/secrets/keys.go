package secrets

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// KeysSecret keeps the API keys: for each one what it is, without what proves it.
const KeysSecret = "causeway-keys"

// Entries of the Secret that belong to a key besides its own, which does not
// change: what is written while it is revoked does not bring it back.
const (
	usedEntry  = ".used"
	ownerEntry = ".owner"
)

// Bounds of keys. A Secret holds a mebibyte, of which one person has a part.
const (
	keysEach   = 50
	keyBytes   = 8 << 10
	keysOfOne  = 64 << 10
	keysBytes  = 800 << 10
	usedBytes  = 20 // when it was used, in digits
	usedRough  = time.Hour
	shownEnded = 30 * 24 * time.Hour // of keys that have expired
	noteKeys   = 10 * time.Second

	keyMakeEvery, keyMakeBurst = 10 * time.Second, 10
	keyUseEvery, keyUseBurst   = 10 * time.Millisecond, 1000
)

// Keyring keeps API keys in a Secret, and what the Secret says in memory.
type Keyring struct {
	keptSecret

	issuer func(context.Context) string
	trail  *trail.Trail
	now    func() time.Time
	made   *session.Tries
	uses   *session.Tries

	// making is held from the look for room to the write.
	making chan struct{}

	// With the lock of what is kept.
	size  int
	keys  map[string]*heldKey
	notes map[string]any // of the Secret's data, to be written
}

// heldKey is a key with when it was used.
type heldKey struct {
	*key.Key

	used time.Time
	room keyRoom
}

// keyRoom is what a key takes of the Secret, in bytes: its own entry and when it was
// used, and whose it is as they are known later.
type keyRoom struct{ own, owner int }

func (r keyRoom) all() int { return r.own + r.owner }

// roomOf is that of a key as it was made, with what was noted of its owner since.
func roomOf(k *key.Key, kept, noted []byte) keyRoom {
	owner := len(kept) // which has it
	if made, err := json.Marshal(k.Owner); err == nil {
		owner = len(made)
	}
	return keyRoom{
		own:   len(k.ID) + len(kept) + len(k.ID+usedEntry) + usedBytes,
		owner: len(k.ID+ownerEntry) + max(owner, len(noted)),
	}
}

// NewKeyring keeps keys in a Secret of the namespace. Issuer tells who vouches for people
// now; empty for nobody.
func NewKeyring(secrets corev1client.SecretInterface, issuer func(context.Context) string, trail *trail.Trail, log *slog.Logger) *Keyring {
	r := &Keyring{
		keptSecret: keptSecret{secrets: secrets, name: KeysSecret, what: "API keys", log: log},
		issuer:     issuer, trail: trail, now: time.Now, keys: map[string]*heldKey{}, notes: map[string]any{}, making: make(chan struct{}, 1),
		made: session.NewTries(rate.Every(keyMakeEvery), keyMakeBurst), uses: session.NewTries(rate.Every(keyUseEvery), keyUseBurst),
	}
	r.taken = r.take
	return r
}

// take is told what the Secret says, with the lock held.
func (r *Keyring) take(s *corev1.Secret) {
	r.size = 0
	keys := map[string]*heldKey{}
	for name, text := range s.Data {
		if strings.Contains(name, ".") {
			continue
		}
		k, err := key.Read(text)
		if err != nil || k.ID != name {
			r.size += len(name) + len(text)
			r.log.Warn("an API key cannot be read, and does not count", "secret", KeysSecret, "entry", name)
			continue
		}
		keys[name] = r.held(k, s.Data)
		r.size += keys[name].room.all()
	}
	r.keys = keys
}

// held is a key with what was noted of it later, in the Secret or in memory.
func (r *Keyring) held(k *key.Key, data map[string][]byte) *heldKey {
	h := &heldKey{Key: k, room: roomOf(k, data[k.ID], data[k.ID+ownerEntry])}
	if seconds, err := strconv.ParseInt(string(data[k.ID+usedEntry]), 10, 64); err == nil {
		h.used = time.Unix(seconds, 0).UTC()
	}
	var owner key.Owner
	if json.Unmarshal(data[k.ID+ownerEntry], &owner) == nil && owner.Known.After(k.Owner.Known) {
		k.Owner = owner
	}
	if before := r.keys[k.ID]; before != nil {
		if before.used.After(h.used) {
			h.used = before.used
		}
		if before.Owner.Known.After(k.Owner.Known) {
			k.Owner = before.Owner
		}
		h.room.owner = max(h.room.owner, before.room.owner)
	}
	return h
}

// Find implements session.Keys.
func (r *Keyring) Find(_ context.Context, text string) (*key.Key, error) {
	id, secret, ok := key.Split(text)
	if !ok {
		return nil, session.ErrUnknown
	}
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.read {
		return nil, r.unread()
	}
	h := r.keys[id]
	if h == nil || !h.Proves(secret) {
		return nil, session.ErrUnknown
	}
	if !now.Before(h.Expires) {
		return nil, gitops.Problemf(gitops.Refused, "the API key %s expired at %s", h.Name, h.Expires.Format(time.RFC3339)).Do("make another one")
	}
	if err := r.uses.Take(id); err != nil {
		return nil, err
	}
	if now.Sub(h.used) >= usedRough {
		if h.used = now.UTC().Truncate(time.Minute); h.used.Before(h.Created) {
			h.used = h.Created
		}
		r.notes[id+usedEntry] = []byte(strconv.FormatInt(h.used.Unix(), 10))
	}
	k := *h.Key
	return &k, nil
}

// Seen implements session.Keys: the keys of who lost a group lose it, too, and
// who has another name has keys with that one.
// Where there is no room for more than they had, keys have what is left of that.
// What limits a token of Kubernetes stays what it was when the key was made.
func (r *Keyring) Seen(u *auth.User, at time.Time) {
	if u.Via != auth.OIDC && u.Via != auth.Kubernetes {
		return // their groups are the policy's
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range r.keys {
		o := h.Owner
		if !o.Is(u) || !at.After(o.Known) {
			continue
		}
		o.Name, o.Groups, o.Claims, o.Email, o.Known = u.Name, u.Groups, u.Claims, u.Email, at.UTC()
		o.Sub = cmp.Or(u.Sub, o.Sub)
		text, fits := r.fit(u, h, &o)
		if !fits {
			o.Groups, o.Claims = left(h.Owner.Groups, u.Groups), subjectOf(o.Claims)
			text, fits = r.fit(u, h, &o)
		}
		same := o.Name == h.Owner.Name && o.Sub == h.Owner.Sub && slices.Equal(o.Groups, h.Owner.Groups) && reflect.DeepEqual(o.Claims, h.Owner.Claims)
		if same {
			continue
		}
		k := *h.Key
		k.Owner = o
		h.Key = &k
		if fits {
			grown := max(0, len(id+ownerEntry)+len(text)-h.room.owner)
			h.room.owner, r.size = h.room.owner+grown, r.size+grown
			r.notes[id+ownerEntry] = text
		}
	}
}

// fit reports whether there is room for an owner as they are known now.
func (r *Keyring) fit(u *auth.User, h *heldKey, o *key.Owner) ([]byte, bool) {
	text, err := json.Marshal(o)
	grown := len(h.ID+ownerEntry) + len(text) - h.room.owner
	return text, err == nil && len(text) <= keyBytes && (grown <= 0 || r.of(u)+grown <= keysOfOne && r.size+grown <= keysBytes)
}

// of is what the keys of somebody take, in bytes.
func (r *Keyring) of(u *auth.User) int {
	sum := 0
	for _, h := range r.keys {
		if h.Owner.Is(u) && r.now().Before(h.Expires.Add(shownEnded)) {
			sum += h.room.all()
		}
	}
	return sum
}

// left are the groups that somebody had and still has.
func left(before, now []string) []string {
	return slices.DeleteFunc(slices.Clone(before), func(g string) bool { return !slices.Contains(now, g) })
}

// subjectOf leaves of claims who somebody is.
func subjectOf(claims map[string]any) map[string]any {
	if sub, ok := claims["sub"]; ok {
		return map[string]any{"sub": sub}
	}
	return nil
}

// Keys implements api.Keyring, the latest first.
func (r *Keyring) Keys(context.Context) ([]api.KeptKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.read {
		return nil, r.unread()
	}
	out := make([]api.KeptKey, 0, len(r.keys))
	for _, h := range r.keys {
		if now := r.now(); now.Before(h.Expires.Add(shownEnded)) {
			out = append(out, api.KeptKey{APIKey: h.shown(now), Of: h.Owner})
		}
	}
	slices.SortFunc(out, func(a, b api.KeptKey) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

func (h *heldKey) shown(now time.Time) api.APIKey {
	return api.APIKey{
		ID: h.ID, Name: h.Name, Owner: h.Owner.Name, Via: h.Owner.Via, Scope: h.Scope, Created: h.Created, Expires: h.Expires,
		Expired: !now.Before(h.Expires), LastUsed: h.used,
	}
}

// Create implements api.Keyring.
func (r *Keyring) Create(ctx context.Context, u *auth.User, want *api.NewKey) (*api.APIKey, string, error) {
	if err := r.made.Take(u.Person()); err != nil {
		return nil, "", fmt.Errorf("cannot make an API key: %w", err)
	}
	issuer := ""
	if u.Via == auth.OIDC {
		issuer = cmp.Or(u.Issuer, r.issuer(ctx))
	}
	now := r.now()
	if u.Began.After(now) {
		now = u.Began // the password before ended keys, too
	}
	days := cmp.Or(min(want.Days, key.MaxDays), key.Days)
	k, text := key.New(want.Name, key.OwnerOf(u, issuer, knownAt(u, now)), want.Scope, now, time.Duration(days)*24*time.Hour)
	kept, err := json.Marshal(k)
	if err != nil {
		return nil, "", fmt.Errorf("cannot keep an API key: %w", err)
	}
	// Whether there is room holds until it is taken.
	select {
	case r.making <- struct{}{}:
		defer func() { <-r.making }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	data, err := r.room(u, k, kept)
	if err != nil {
		return nil, "", err
	}
	e := &audit.Entry{Verb: "create", Resource: "keys", Name: k.Name, Changes: []audit.Change{
		{Path: "/id", New: said(k.ID)}, {Path: "/scope", New: said(k.Scope)}, {Path: "/expires", New: said(k.Expires)},
	}}
	if err := r.trail.Begin(ctx, u, e); err != nil {
		return nil, "", err
	}
	data[k.ID] = kept
	if err := r.write(ctx, data); err != nil {
		r.trail.Failed(ctx, u, e, err)
		return nil, "", err
	}
	made := (&heldKey{Key: k}).shown(now)
	made.Own = true
	return &made, text, nil
}

// knownAt is as of when a key has its owner's groups: one that is made in an old
// session does not outlive what was taken from them since.
func knownAt(u *auth.User, now time.Time) time.Time {
	if u.Via != auth.OIDC || u.Known.IsZero() {
		return now.UTC()
	}
	return u.Known.UTC()
}

// room is what has to go for one more key; an error where there is none.
func (r *Keyring) room(u *auth.User, k *key.Key, kept []byte) (map[string]any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, own, size, stays := map[string]any{}, 0, roomOf(k, kept, nil).all(), r.size
	for id, h := range r.keys {
		if !r.now().Before(h.Expires.Add(shownEnded)) {
			maps.Copy(data, gone(id))
			stays -= h.room.all() // nobody sees it any more who could revoke it
			continue
		}
		if !h.Owner.Is(u) || !r.now().Before(h.Expires) {
			continue
		}
		if own++; h.Name == k.Name {
			return nil, gitops.Problemf(gitops.NotReady, "you have an API key %s already", k.Name).Do("use another name, or revoke it first")
		}
	}
	switch {
	case !r.read:
		return nil, r.unread()
	case len(kept) > keyBytes:
		return nil, gitops.Problemf(gitops.Invalid, "the API key takes %d bytes, and may take %d", len(kept), keyBytes).Do("use fewer rules, or let the issuer send fewer groups")
	case own >= keysEach:
		return nil, gitops.Problemf(gitops.NotReady, "you have %d API keys, which is as many as one may have", own).Do("revoke some that are not used")
	case r.of(u)+size > keysOfOne:
		return nil, gitops.Problemf(gitops.NotReady, "your API keys take %d bytes, with %d of this one, and may take %d", r.of(u)+size, size, keysOfOne).Do("revoke some that are not used, or let the issuer send fewer groups")
	case stays+size > keysBytes:
		return nil, gitops.Problemf(gitops.NotReady, "Secret %s has no room for more API keys", KeysSecret).Do("revoke some that are not used")
	}
	return data, nil
}

// gone takes a key and what was noted of it out of the Secret.
func gone(id string) map[string]any {
	return map[string]any{id: nil, id + usedEntry: nil, id + ownerEntry: nil}
}

// Revoke implements api.Keyring. It counts when it returns.
func (r *Keyring) Revoke(ctx context.Context, u *auth.User, k *api.KeptKey) error {
	e := &audit.Entry{Verb: "revoke", Resource: "keys", Name: k.Name, Changes: []audit.Change{{Path: "/id", Old: said(k.ID)}, {Path: "/owner", Old: said(k.Owner)}}}
	if err := r.trail.Begin(ctx, u, e); err != nil {
		return err
	}
	err := r.write(ctx, gone(k.ID))
	r.trail.Failed(ctx, u, e, err)
	return err
}

func said(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

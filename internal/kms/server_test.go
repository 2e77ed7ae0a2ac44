package kms

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"
)

// planted is what no answer but the one to Decrypt, no error and no log may have.
const planted = "planted-seed-of-thirty-two-bytes"

// turned is a key that turns bits over, and fails where it is told to.
type turned struct {
	mu        sync.Mutex
	id        string
	fails     error
	undoes    error
	damages   bool
	long      int
	material  byte // is what a key is made of, besides its id
	encrypted int
	block     chan struct{}
}

func (k *turned) Encrypt(ctx context.Context, plain []byte) ([]byte, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.encrypted++
	if k.block != nil {
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-k.block:
		}
	}
	return append(append(flip(plain), make([]byte, k.long)...), k.material), k.id, k.fails
}

func (k *turned) Decrypt(_ context.Context, text []byte, _ string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.damages {
		return []byte("something else"), nil
	}
	if n := len(text) - 1; text[n] == k.material {
		return flip(text[:n]), k.undoes
	}
	return nil, errors.New("message authentication failed")
}

func (k *turned) set(change func(*turned)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(k)
}

func flip(in []byte) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out
}

// clock is one that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// serve has a server on a socket, and a client of it.
func serve(t *testing.T, key Key, o Options) (client api.KeyManagementServiceClient, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kms.sock")
	socket, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(key, o).Serve(ctx, socket) }()
	t.Cleanup(func() {
		end()
		if err := errors.Join(<-ended, socket.Close()); err != nil {
			t.Errorf("it did not end in order: %v", err)
		}
	})
	connection, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return api.NewKeyManagementServiceClient(connection), path
}

func TestRoundTrip(t *testing.T) {
	var seen []string
	client, _ := serve(t, &turned{id: "one"}, Options{Observe: func(asked string, _ time.Duration, err error) {
		seen = append(seen, fmt.Sprint(asked, " ", err == nil))
	}})
	was, err := client.Status(t.Context(), &api.StatusRequest{})
	if err != nil || was.GetHealthz() != "ok" || was.GetVersion() != "v2" || was.GetKeyId() != "one" {
		t.Fatalf("the status is %v, %v", was, err)
	}
	out, err := client.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(planted), Uid: "1"})
	if err != nil || out.GetKeyId() != "one" || bytes.Contains(out.GetCiphertext(), []byte(planted)) {
		t.Fatalf("it encrypts to %v, %v", out, err)
	}
	back, err := client.Decrypt(t.Context(), &api.DecryptRequest{Ciphertext: out.GetCiphertext(), KeyId: out.GetKeyId(), Uid: "2"})
	if err != nil || string(back.GetPlaintext()) != planted {
		t.Fatalf("it decrypts to %v, %v", back, err)
	}
	if got := strings.Join(seen, ", "); got != "status true, encrypt true, decrypt true" {
		t.Errorf("told were: %s", got)
	}
}

func TestRefusals(t *testing.T) {
	away := errors.New("the manager is away")
	tests := map[string]struct {
		reason string
		key    *turned
		ask    func(context.Context, api.KeyManagementServiceClient) error
		want   string
		code   codes.Code
	}{
		"Nothing": {
			"an empty seed is a mistake", &turned{id: "one"}, encrypts(0), "cannot encrypt 0 bytes", codes.InvalidArgument,
		},
		"Much": {
			"objects are not encrypted here", &turned{id: "one"}, encrypts(mostPlain + 1), "cannot encrypt 1025 bytes", codes.InvalidArgument,
		},
		"TooMuchForAMessage": {
			"memory is bounded before it is read", &turned{id: "one"}, encrypts(mostMessage), "larger than max", codes.ResourceExhausted,
		},
		"LongAnswer": {
			"API servers would refuse it, with less to say", &turned{id: "one", long: mostText}, encrypts(32), "API servers take 1 to 1024", codes.Internal,
		},
		"NoID": {
			"API servers would refuse it", &turned{}, encrypts(32), "its id has 0 bytes", codes.Internal,
		},
		"LongID": {
			"API servers would refuse it", &turned{id: strings.Repeat("a", mostID+1)}, encrypts(32), "its id has 1025 bytes", codes.Internal,
		},
		"Away": {
			"the reason comes through", &turned{id: "one", fails: away}, encrypts(32), "the manager is away", codes.Internal,
		},
		"Late": {
			"who asks learns that it was the time", &turned{id: "one", fails: context.DeadlineExceeded}, encrypts(32), "did not answer in time", codes.DeadlineExceeded,
		},
		"Undone": {
			"the reason comes through", &turned{id: "one", undoes: away}, decrypts(32, "one"), "the manager is away", codes.Internal,
		},
		"LongText":  {"nothing like it was made here", &turned{}, decrypts(mostText+1, "one"), "cannot decrypt 1025 bytes", codes.InvalidArgument},
		"NoText":    {"nothing like it was made here", &turned{}, decrypts(0, "one"), "cannot decrypt 0 bytes", codes.InvalidArgument},
		"NoKeyID":   {"nothing like it was made here", &turned{}, decrypts(32, ""), "whose id has 0 bytes", codes.InvalidArgument},
		"LongKeyID": {"nothing like it was made here", &turned{}, decrypts(32, strings.Repeat("a", mostID+1)), "whose id has 1025 bytes", codes.InvalidArgument},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, tc.key, Options{})
			err := tc.ask(t.Context(), client)
			if status.Code(err) != tc.code || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %s with %q", tc.reason, err, tc.code, tc.want)
			}
		})
	}
}

func encrypts(bytes int) func(context.Context, api.KeyManagementServiceClient) error {
	return func(ctx context.Context, c api.KeyManagementServiceClient) error {
		_, err := c.Encrypt(ctx, &api.EncryptRequest{Plaintext: make([]byte, bytes)})
		return err
	}
}

func decrypts(bytes int, id string) func(context.Context, api.KeyManagementServiceClient) error {
	return func(ctx context.Context, c api.KeyManagementServiceClient) error {
		_, err := c.Decrypt(ctx, &api.DecryptRequest{Ciphertext: make([]byte, bytes), KeyId: id})
		return err
	}
}

// TestHealth: a key is tried, not more often than is needed, and what was found is told in words and in the log.
func TestHealth(t *testing.T) {
	key, now, log := &turned{id: "one"}, &clock{now: time.Unix(0, 0)}, &bytes.Buffer{}
	s := New(key, Options{Now: now.Now, Log: slog.New(slog.NewTextHandler(log, nil))})
	expect := func(reason, healthz, id string) {
		t.Helper()
		got, err := s.Status(t.Context(), nil)
		if err != nil || !strings.Contains(got.GetHealthz(), healthz) || got.GetKeyId() != id {
			t.Errorf("%s: got %v, %v, want %q and the key %s", reason, got, err, healthz, id)
		}
	}
	expect("it works", "ok", "one")
	key.set(func(k *turned) { k.fails = errors.New("away") })
	expect("it was tried a moment ago", "ok", "one")
	now.move(fresh)
	expect("the reason is told, and the key that API servers go on with", "away", "one")
	key.set(func(k *turned) { k.fails, k.undoes = nil, errors.New("denied") })
	now.move(fresh)
	expect("both directions are tried", "what the key one encrypts cannot be decrypted again: denied", "one")
	key.set(func(k *turned) { k.undoes, k.damages = nil, true })
	now.move(fresh)
	expect("what comes back is looked at", "decrypted to something else", "one")
	key.set(func(k *turned) { k.damages, k.id = false, "two" })
	now.move(fresh)
	expect("a new version is a new id", "ok", "two")
	tries := key.encrypted
	for range 10 {
		expect("many who ask are one try", "ok", "two")
	}
	if key.encrypted != tries {
		t.Errorf("the key was tried %d times more", key.encrypted-tries)
	}
	key.set(func(k *turned) { k.id = "three" })
	if _, err := s.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(planted)}); err != nil {
		t.Fatal(err)
	}
	expect("Status tells no other key than Encrypt, or API servers go on with an old one", "ok", "three")
	for _, line := range []string{"the key cannot be used", "error=away", "the key can be used again", "key=two before=one", "key=three before=two"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("not in the log: %s\n%s", line, log)
		}
	}
	if strings.Contains(log.String(), planted) {
		t.Error("the log tells what was encrypted")
	}
}

// TestHealthOfKeyMadeAnew: a key that was deleted and made again has the name of before and decrypts nothing of before.
// API servers that run still have their seeds: as long as they do, Secrets can be saved.
func TestHealthOfKeyMadeAnew(t *testing.T) {
	key, now := &turned{id: "one"}, &clock{now: time.Unix(0, 0)}
	s := New(key, Options{Now: now.Now})
	expect := func(reason, healthz, id string) {
		t.Helper()
		now.move(fresh)
		got, err := s.Status(t.Context(), nil)
		if err != nil || !strings.Contains(got.GetHealthz(), healthz) || got.GetKeyId() != id {
			t.Errorf("%s: got %v, %v, want %q and the key %s", reason, got, err, healthz, id)
		}
	}
	expect("it works", "ok", "one")
	key.set(func(k *turned) { k.material = 1 })
	for range 3 {
		expect("what was stored before cannot be decrypted", "another one than before, under the same id", "one")
	}
	key.set(func(k *turned) { k.undoes = errors.New("denied") })
	expect("nothing is decrypted, which a policy does", "what the key one encrypts cannot be decrypted again", "one")
	key.set(func(k *turned) { k.undoes, k.material = nil, 0 })
	expect("it was put back", "ok", "one")
	key.set(func(k *turned) { k.id, k.material = "two", 1 })
	expect("it was rotated", "ok", "two")
	expect("it was rotated", "ok", "two")
}

// TestHealthOfWhoLeft: what is found out is for all who ask, also where the first one did not wait for it.
func TestHealthOfWhoLeft(t *testing.T) {
	s := New(&turned{id: "one"}, Options{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if got, err := s.Status(gone, nil); err != nil || got.GetHealthz() != "ok" {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestEnd: calls that are under way get their answer, and the socket is gone at the end.
func TestEnd(t *testing.T) {
	key := &turned{id: "one", block: make(chan struct{})}
	path := filepath.Join(t.TempDir(), "kms.sock")
	socket, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(key, Options{}).Serve(ctx, socket) }()
	connection, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	answered := make(chan error, 1)
	go func() { answered <- encrypts(32)(t.Context(), api.NewKeyManagementServiceClient(connection)) }()
	key.block <- struct{}{} // it is there, and gets its answer
	end()
	if err := <-answered; err != nil {
		t.Errorf("who asked before the end has %v", err)
	}
	if err := errors.Join(<-ended, socket.Close()); err != nil {
		t.Errorf("it did not end in order: %v", err)
	}
	if _, err := net.Dial("unix", path); err == nil {
		t.Error("somebody still listens")
	}
}

package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// serial is the number of the certificate that a server shows who trusts that one alone.
func serial(t *testing.T, k *Keeper, trusted []byte, name string) (string, error) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.NotFoundHandler(), TLSConfig: k.Config(), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.ServeTLS(l, "", "") }()
	defer func() { _ = s.Close() }()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(trusted)
	d := &tls.Dialer{Config: &tls.Config{RootCAs: pool, ServerName: name, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String(), nil
}

func made(t *testing.T, now time.Time, hosts ...string) *Pair {
	t.Helper()
	p, err := Make(hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t *testing.T, f *Files, p *Pair, at time.Time) {
	t.Helper()
	for path, text := range map[string][]byte{f.Certificate: p.Certificate, f.Key: p.Key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesAreReadAgain(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	f := &Files{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	if _, err := NewKeeper(t.Context(), f, time.Hour, quiet); err == nil || !strings.Contains(err.Error(), "tls.crt") {
		t.Errorf("without files: %v", err)
	}
	first, second := made(t, now, "localhost"), made(t, now, "localhost")
	put(t, f, first, now.Add(-time.Minute))
	k, err := NewKeeper(t.Context(), f, time.Hour, quiet)
	if err != nil {
		t.Fatal(err)
	}
	one, err := serial(t, k, first.Certificate, "localhost")
	if err != nil {
		t.Fatal(err)
	}
	// A key that does not belong to the certificate, as while both are replaced.
	put(t, f, &Pair{second.Certificate, first.Key}, now)
	if err := k.Look(t.Context()); err == nil || strings.Contains(err.Error(), "PRIVATE") {
		t.Errorf("half a pair: %v", err)
	}
	if again, err := serial(t, k, first.Certificate, "localhost"); err != nil || again != one {
		t.Errorf("after half a pair it shows %s, not %s: %v", again, one, err)
	}
	put(t, f, second, now.Add(time.Minute))
	if err := k.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if two, err := serial(t, k, second.Certificate, "localhost"); err != nil || two == one {
		t.Errorf("it goes on showing %s: %v", two, err)
	}
	if _, err := serial(t, k, first.Certificate, "localhost"); err == nil {
		t.Error("who trusts the first one still connects")
	}
}

// TestOneFile: many keep certificate and key in one.
func TestOneFile(t *testing.T) {
	both, pair := filepath.Join(t.TempDir(), "tls.pem"), made(t, time.Now(), "localhost")
	if err := os.WriteFile(both, append(bytes.Clone(pair.Certificate), pair.Key...), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := NewKeeper(t.Context(), &Files{Certificate: both, Key: both}, time.Hour, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := serial(t, k, pair.Certificate, "localhost"); err != nil {
		t.Error(err)
	}
}

func TestMadeCertificates(t *testing.T) {
	now := time.Now()
	p := made(t, now, "causeway.example.com", "127.0.0.1")
	k, err := NewKeeper(t.Context(), fixed{p}, time.Hour, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"causeway.example.com": true, "127.0.0.1": true, "other.example.com": false} {
		if _, err := serial(t, k, p.Certificate, name); (err == nil) != want {
			t.Errorf("for %s: %v", name, err)
		}
	}
	for at, want := range map[time.Duration]bool{0: true, Life - Early - time.Hour: true, Life - Early + time.Hour: false, -2 * time.Hour: false} {
		if got := p.Good(now.Add(at)); got != want {
			t.Errorf("after %s it is good: %t", at, got)
		}
	}
	if (&Pair{Certificate: p.Certificate}).Good(now) {
		t.Error("a certificate without a key is good")
	}
}

type fixed struct{ pair *Pair }

func (f fixed) Pair(context.Context) (*Pair, error) { return f.pair, nil }

type broken struct{}

func (broken) Pair(context.Context) (*Pair, error) { return nil, errors.New("away") }

func TestNothingToShow(t *testing.T) {
	for name, s := range map[string]Source{"away": broken{}, "none": fixed{}, "empty": fixed{&Pair{}}} {
		if _, err := NewKeeper(t.Context(), s, time.Hour, quiet); err == nil {
			t.Errorf("%s: a server shows nothing", name)
		}
	}
}

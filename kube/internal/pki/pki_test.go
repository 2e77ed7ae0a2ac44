package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func authority(t *testing.T) (*Authority, string) {
	t.Helper()
	dir := t.TempDir()
	a, err := LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a, dir
}

func leaf(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatalf("certificate and key do not belong together: %v", err)
	}
	return pair.Leaf
}

func pool(a *Authority) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.PEM())
	return pool
}

func TestServerIsTrusted(t *testing.T) {
	a, _ := authority(t)
	pair, err := a.Server("127.0.0.1", "kubernetes.default.svc")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "kubernetes.default.svc"} {
		if _, err := leaf(t, pair).Verify(x509.VerifyOptions{DNSName: host, Roots: pool(a)}); err != nil {
			t.Errorf("a client that trusts the authority turns away %s: %v", host, err)
		}
	}
	if err := leaf(t, pair).VerifyHostname("example.org"); err == nil {
		t.Error("the certificate is good for a host that was not asked for")
	}
}

func TestClientCarriesUserAndGroups(t *testing.T) {
	a, _ := authority(t)
	pair, err := a.Client("someone", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	cert := leaf(t, pair)
	if cert.Subject.CommonName != "someone" || !slices.Equal(cert.Subject.Organization, []string{"system:masters"}) {
		t.Errorf("subject is %v", cert.Subject)
	}
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := cert.Verify(x509.VerifyOptions{Roots: pool(a), KeyUsages: usage}); err != nil {
		t.Errorf("the API server would turn the client away: %v", err)
	}
	usage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if _, err := cert.Verify(x509.VerifyOptions{Roots: pool(a), KeyUsages: usage}); err == nil {
		t.Error("a client certificate can be used to pose as the API server")
	}
}

func TestAuthorityIsKept(t *testing.T) {
	first, dir := authority(t)
	second, err := LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.PEM(), second.PEM()) {
		t.Fatal("the second start made another authority")
	}
	pair, err := second.Client("someone")
	if err != nil {
		t.Fatal(err)
	}
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := leaf(t, pair).Verify(x509.VerifyOptions{Roots: pool(first), KeyUsages: usage}); err != nil {
		t.Errorf("a certificate of the second start is not good for the first: %v", err)
	}
}

func TestAuthorityErrors(t *testing.T) {
	tests := map[string]struct {
		reason string
		spoil  func(dir string) error
		want   string
	}{
		"NoPEM": {
			reason: "a damaged certificate is named, not replaced: clients trust the old one",
			spoil:  func(dir string) error { return os.WriteFile(filepath.Join(dir, "ca.crt"), []byte("?"), 0o600) },
			want:   "ca.crt",
		},
		"NoKey": {
			reason: "a damaged key is named",
			spoil:  func(dir string) error { return os.WriteFile(filepath.Join(dir, "ca.key"), []byte("?"), 0o600) },
			want:   "ca.key",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, dir := authority(t)
			if err := tc.spoil(dir); err != nil {
				t.Fatal(err)
			}
			_, err := LoadOrCreate(dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q in it", tc.reason, err, tc.want)
			}
		})
	}
}

func TestTokenKeyIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sa.key")
	if err := TokenKey(file); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := TokenKey(file); err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("tokens of the first start are void after the second")
	}
	if _, err := decodeKey(first); err != nil {
		t.Error(err)
	}
}

// TestCrashLeavesNoHalfKeys has files as a crash of the machine leaves them.
func TestCrashLeavesNoHalfKeys(t *testing.T) {
	for _, name := range []string{"ca.crt", "ca.key", "token.key"} {
		for what, text := range map[string]string{"nothing": "", "zeros": strings.Repeat("\x00", 200)} {
			dir := t.TempDir()
			if _, err := LoadOrCreate(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := LoadOrCreate(dir)
			if err != nil {
				t.Errorf("with %s in %s the cluster does not start: %v", what, name, err)
				continue
			}
			if again, err := LoadOrCreate(dir); err != nil || !bytes.Equal(again.PEM(), a.PEM()) {
				t.Errorf("with %s in %s another authority is made at each start: %v", what, name, err)
			}
			token := filepath.Join(dir, "token.key")
			if err := TokenKey(token); err != nil {
				t.Errorf("with %s in %s: %v", what, name, err)
			}
			if text, err := os.ReadFile(token); err != nil || !bytes.Contains(text, []byte("PRIVATE KEY")) {
				t.Errorf("with %s in %s there is no key of tokens: %v", what, name, err)
			}
		}
	}
}

func TestFilesAreForThisUserAlone(t *testing.T) {
	a, dir := authority(t)
	pair, err := a.Client("someone")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		pair.Write(filepath.Join(dir, "x.crt"), filepath.Join(dir, "x.key")),
		TokenKey(filepath.Join(dir, "sa.key")),
	)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", entry.Name(), info.Mode())
		}
	}
}

func TestPairIsNotPrinted(t *testing.T) {
	pair := Pair{Key: []byte("secret")}
	for _, text := range []string{fmt.Sprint(pair), fmt.Sprintf("%+v", pair), fmt.Sprintf("%#v", pair)} {
		if text != "[redacted]" {
			t.Errorf("a key pair prints as %q", text)
		}
	}
}

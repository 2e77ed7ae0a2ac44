package template

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"hash"
	"math/big"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"software.sslmate.com/src/go-pkcs12"
)

// chain is a root, what it issued, and a leaf with its key.
type chain struct {
	leaf, middle, root string
	key                *ecdsa.PrivateKey
	keyPEM             string
}

var chained = sync.OnceValue(func() chain {
	root, rootKey := issue("root", nil, nil)
	middle, middleKey := issue("middle", root, rootKey)
	leaf, leafKey := issue("leaf", middle, middleKey)
	text, err := privateKeyPEM(leafKey)
	if err != nil {
		panic(err)
	}
	return chain{certificatesPEM([]*x509.Certificate{leaf}), certificatesPEM([]*x509.Certificate{middle}), certificatesPEM([]*x509.Certificate{root}), leafKey, text}
})

func issue(name string, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	one := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: name != "leaf",
	}
	if name == "leaf" {
		one.DNSNames, one.IPAddresses = []string{"a.example", "b.example"}, []net.IP{net.IPv4(10, 0, 0, 1)}
		one.EmailAddresses, one.URIs = []string{"ada@example"}, []*url.URL{{Scheme: "spiffe", Host: "x", Path: "/y"}}
	}
	if parent == nil {
		parent, by = one, key
	}
	der, err := x509.CreateCertificate(rand.Reader, one, parent, key.Public(), by)
	if err != nil {
		panic(err)
	}
	if one, err = x509.ParseCertificate(der); err != nil {
		panic(err)
	}
	return one, key
}

func TestFilterCertChain(t *testing.T) {
	c := chained()
	other, _ := issue("other", nil, nil)
	stranger := certificatesPEM([]*x509.Certificate{other})
	for name, tc := range map[string]struct{ reason, part, text, want, err string }{
		"leaf":          {"what issued nothing", chainLeaf, c.leaf + c.middle + c.root, c.leaf, ""},
		"intermediate":  {"what is between", chainIntermediate, c.leaf + c.middle + c.root, c.middle, ""},
		"root":          {"what issued itself", chainRoot, c.leaf + c.middle + c.root, c.root, ""},
		"any order":     {"the order is of no meaning", chainLeaf, c.root + c.middle + c.leaf, c.leaf, ""},
		"no root":       {"a chain may lack its root", chainRoot, c.leaf + c.middle, "", ""},
		"no root, rest": {"then all but the leaf is between", chainIntermediate, c.leaf + c.middle, c.middle, ""},
		"root alone":    {"a root is no leaf", chainLeaf, c.root, "", ""},
		"leaf alone":    {"one certificate is a chain", chainLeaf, c.leaf, c.leaf, ""},
		"two":           {"two chains are none", chainLeaf, c.leaf + stranger, "", "multiple leaf or disjunct"},
		"twice":         {"nor is one with a certificate twice", chainLeaf, c.root + c.root, "", "no leaf certificate found"},
		"nothing":       {"nothing is no chain", chainLeaf, "", "", "no leaf certificate found"},
		"words":         {"nor are words", chainLeaf, "hunter22", "", "no leaf certificate found"},
		"a key":         {"nor is a key", chainLeaf, c.keyPEM, "", "the block 1 (PRIVATE KEY) is no certificate"},
		"half":          {"nor half a certificate", chainLeaf, c.leaf[:len(c.leaf)/2], "", "no leaf certificate found"},
		"part":          {"a part that there is not", "trunk", c.leaf, "", `knows no part "trunk"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := filterCertChain(tc.part, tc.text)
			refused(t, tc.reason, err, tc.err)
			if got != tc.want {
				t.Errorf("%s: got\n%s\nwant\n%s", tc.reason, got, tc.want)
			}
		})
	}
}

// refused checks an error, in which no value may be.
func refused(t *testing.T, reason string, err error, want string) {
	t.Helper()
	switch {
	case (err != nil) != (want != ""):
		t.Fatalf("%s: got the error %v, want %q", reason, err, want)
	case err != nil && !strings.Contains(err.Error(), want):
		t.Errorf("%s: got the error %v, want %q", reason, err, want)
	case err != nil && strings.Contains(err.Error(), "hunter"):
		t.Errorf("%s: the error quotes a value: %v", reason, err)
	}
}

func TestFilterPEM(t *testing.T) {
	c := chained()
	for name, tc := range map[string]struct{ reason, kind, text, want, err string }{
		"one":     {"the blocks of one type", "CERTIFICATE", c.leaf + c.keyPEM + c.root, c.leaf + c.root, ""},
		"case":    {"in any case", "private key", c.leaf + c.keyPEM, c.keyPEM, ""},
		"none":    {"there may be none", "CERTIFICATE", c.keyPEM, "", ""},
		"nothing": {"nothing has none", "CERTIFICATE", "", "", ""},
		"junk":    {"what is behind the last block", "CERTIFICATE", c.leaf + "hunter22", "", "junk after the last block"},
		"words":   {"words alone", "CERTIFICATE", "hunter22", "", "junk"},
		"before":  {"words before a block are its comment", "CERTIFICATE", "subject\n" + c.leaf, c.leaf, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := filterPEM(tc.kind, tc.text)
			refused(t, tc.reason, err, tc.err)
			if got != tc.want {
				t.Errorf("%s: got\n%s", tc.reason, got)
			}
		})
	}
}

func TestCertSANs(t *testing.T) {
	c := chained()
	got, err := certSANs(c.leaf)
	if err != nil || strings.Join(got, " ") != "a.example b.example 10.0.0.1 ada@example spiffe://x/y" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err = certSANs(c.root); err != nil || len(got) != 0 {
		t.Errorf("a certificate without names: %v, %v", got, err)
	}
	_, err = certSANs("hunter22")
	refused(t, "words", err, "failed to decode PEM")
	_, err = certSANs(c.keyPEM)
	refused(t, "a key", err, "PRIVATE KEY is no certificate")
}

// TestPkcs12 makes stores, and takes them apart again.
func TestPkcs12(t *testing.T) {
	c := chained()
	values := map[string]string{"cert": c.leaf, "chain": c.leaf + c.middle + c.root, "key": c.keyPEM}
	for name, tc := range map[string]struct{ reason, text, want string }{
		"key":            {"the key comes back", `{{ pemToPkcs12 .cert .key | b64dec | pkcs12key }}`, c.keyPEM},
		"key, password":  {"by its password", `{{ pemToPkcs12Pass .cert .key "pw" | b64dec | pkcs12keyPass "pw" }}`, c.keyPEM},
		"cert":           {"the certificate alone", `{{ pemToPkcs12 .chain .key | b64dec | pkcs12cert }}`, c.leaf},
		"chain":          {"or all of them", `{{ fullPemToPkcs12 .chain .key | b64dec | pkcs12cert }}`, c.leaf + c.middle + c.root},
		"chain, in turn": {"from the leaf on", `{{ fullPemToPkcs12Pass .chain .key "pw" | b64dec | pkcs12certPass "pw" }}`, c.leaf + c.middle + c.root},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render("key", tc.text, values)
			if err != nil || got != tc.want {
				t.Errorf("%s: %v, got\n%s", tc.reason, err, got)
			}
		})
	}
	for name, tc := range map[string]struct{ reason, text, want string }{
		"words":          {"words are no store", `{{ pkcs12key "hunter22" }}`, "cannot decode the PKCS 12 store"},
		"words, cert":    {"neither for certificates", `{{ pkcs12cert "hunter22" }}`, "cannot decode the PKCS 12 store"},
		"wrong password": {"another password", `{{ pemToPkcs12Pass .cert .key "pw" | b64dec | pkcs12keyPass "hunter22" }}`, "cannot decode the PKCS 12 store"},
		"no certificate": {"a certificate that is none", `{{ pemToPkcs12 "hunter22" .key }}`, "the certificate is not in PEM"},
		"swapped":        {"key and certificate swapped", `{{ fullPemToPkcs12 .key .cert }}`, "PRIVATE KEY"},
		"no key":         {"a key that is none", `{{ pemToPkcs12 .cert "hunter22" }}`, "failed to decode PEM block of the key"},
		"cert as key":    {"a certificate as a key", `{{ pemToPkcs12 .cert .cert }}`, "unable to parse private key type"},
		"no trust":       {"a trust store of nothing", `{{ pemTruststoreToPKCS12 "" }}`, "the certificate is not in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := render("key", strings.ReplaceAll(tc.text, `"hunter22"`, ".words"), map[string]string{"cert": c.leaf, "key": c.keyPEM, "words": "hunter22"})
			refused(t, tc.reason, err, tc.want)
		})
	}
}

func TestTrustStores(t *testing.T) {
	c := chained()
	for _, password := range []string{"", "pw"} {
		text, err := pemTruststoreToPKCS12Pass(c.root+c.middle, password)
		if password == "" {
			text, err = pemTruststoreToPKCS12(c.root + c.middle)
		}
		if err != nil {
			t.Fatal(err)
		}
		store, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pkcs12.DecodeTrustStore(store, password)
		if err != nil || certificatesPEM(all) != c.root+c.middle {
			t.Errorf("with the password %q: %v, %d certificates", password, err, len(all))
		}
	}
}

func TestPrivateKeyForms(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(chained().key)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		kind string
		der  []byte
		want crypto.PrivateKey
	}{
		"PKCS 1": {"RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), rsaKey},
		"SEC 1":  {"EC PRIVATE KEY", sec1, chained().key},
	} {
		got, err := privateKey(encodePEM(tc.kind, tc.der))
		same, _ := got.(interface{ Equal(crypto.PrivateKey) bool })
		if err != nil || !same.Equal(tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func jwk(t *testing.T, key any) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKey{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestJWK(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{"rsa": {&rsaKey.PublicKey, rsaKey}, "ec": {&chained().key.PublicKey, chained().key}, "ed25519": {public, private}} {
		text, err := jwkPublicKeyPem(jwk(t, pair[0]))
		block, _ := pem.Decode([]byte(text))
		if err != nil || block == nil || block.Type != pemPublicKey {
			t.Fatalf("%s: %v, %s", name, err, text)
		}
		got, err := x509.ParsePKIXPublicKey(block.Bytes)
		if same, ok := got.(interface{ Equal(crypto.PublicKey) bool }); err != nil || !ok || !same.Equal(pair[0]) {
			t.Errorf("%s: %v, another public key", name, err)
		}
		if text, err = jwkPrivateKeyPem(jwk(t, pair[1])); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		one, err := privateKey(text)
		if same, ok := one.(interface{ Equal(crypto.PrivateKey) bool }); err != nil || !ok || !same.Equal(pair[1]) {
			t.Errorf("%s: %v, another private key", name, err)
		}
	}
	_, err = jwkPublicKeyPem(jwk(t, rsaKey))
	refused(t, "a private key is no public one", err, "unsupported public key type")
	_, err = jwkPrivateKeyPem(jwk(t, &rsaKey.PublicKey))
	refused(t, "nor is a public key a private one", err, "no private key")
	_, err = jwkPrivateKeyPem(jwk(t, []byte("hunter22")))
	refused(t, "a text is neither", err, "no private key")
	for _, text := range []string{"", "hunter22", "{}", `{"kty":"RSA","n":"hunter22"}`, `{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`} {
		if _, err := jwkPublicKeyPem(text); err == nil {
			t.Errorf("%q became a key", text)
		}
	}
}

func TestRSADecrypt(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text, err := privateKeyPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, sum := range map[string]hash.Hash{"SHA1": sha1.New(), "SHA224": sha256.New224(), "sha256": sha256.New(), "SHA384": sha512.New384(), "SHA512": sha512.New(), "": sha256.New()} {
		encrypted, err := rsa.EncryptOAEP(sum, rand.Reader, &key.PublicKey, []byte("hello"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rsaDecrypt(schemeOAEP, name, string(encrypted), text); err != nil || got != "hello" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := rsaDecrypt(schemeNone, "", "hello", "no key"); err != nil || got != "hello" {
		t.Errorf("None: %q, %v", got, err)
	}
	for name, tc := range map[string]struct{ reason, scheme, encrypted, key, want string }{
		"scheme":    {"a scheme that there is not", "RSA-PKCS1", "x", text, "use RSA-OAEP or None"},
		"no key":    {"a key that is none", schemeOAEP, "x", "hunter22", "failed to decode PEM"},
		"other key": {"a key of another kind", schemeOAEP, "x", chained().keyPEM, "no RSA key"},
		"broken":    {"what was not encrypted", schemeOAEP, "hunter22", text, "decryption error"},
	} {
		_, err := rsaDecrypt(tc.scheme, "SHA256", tc.encrypted, tc.key)
		refused(t, name+": "+tc.reason, err, tc.want)
	}
}

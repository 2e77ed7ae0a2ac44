package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

var made = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func configAt(now time.Time, lives uint32) *packet.Config {
	return &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, KeyLifetimeSecs: lives, Time: func() time.Time { return now }}
}

// newKey is a key of somebody, which lives for so many seconds; 0 is for ever.
func newKey(t *testing.T, lives uint32) *openpgp.Entity {
	t.Helper()
	e, err := openpgp.NewEntity("Ann", "", "ann@example.org", configAt(made, lives))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func armored(t *testing.T, kind string, write func(b *bytes.Buffer) error) string {
	t.Helper()
	var body, out bytes.Buffer
	if err := write(&body); err != nil {
		t.Fatal(err)
	}
	w, err := armor.Encode(&out, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func public(t *testing.T, entities ...*openpgp.Entity) string {
	t.Helper()
	return armored(t, openpgp.PublicKeyType, func(b *bytes.Buffer) (err error) {
		for _, e := range entities {
			err = errors.Join(err, e.Serialize(b))
		}
		return err
	})
}

func idOf(e *openpgp.Entity) string { return keyID(e.PrimaryKey.KeyId) }

// sign signs a text at a time; the signature itself lives for so many seconds.
func sign(t *testing.T, e *openpgp.Entity, text string, at time.Time, lives uint32) []byte {
	t.Helper()
	config := configAt(at, 0)
	config.SigLifetimeSecs = lives
	var b bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&b, e, strings.NewReader(text), config); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ring(t *testing.T, entities ...*openpgp.Entity) *Keyring {
	t.Helper()
	data := map[string]string{}
	for _, e := range entities {
		data[idOf(e)] = public(t, e)
	}
	k, errs := ParseKeyring(data)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return k
}

// TestWhatCountsAsSigned says of what does not why, and what to do.
func TestWhatCountsAsSigned(t *testing.T) {
	ann, eve, brief, gone := newKey(t, 0), newKey(t, 0), newKey(t, 3600), newKey(t, 0)
	soon, late := made.Add(time.Minute), made.Add(240*time.Hour)
	before := sign(t, gone, "text", soon, 0)
	if err := gone.RevokeKey(packet.KeyCompromised, "lost", configAt(soon, 0)); err != nil {
		t.Fatal(err)
	}
	keys := ring(t, ann, brief, gone)
	good := sign(t, ann, "text", soon, 0)
	unnamed := armored(t, "PGP SIGNATURE", func(b *bytes.Buffer) error { return ann.PrimaryKey.Serialize(b) })
	for name, tc := range map[string]struct {
		reason, text string
		signature    []byte
		now          time.Time
		what, fix    string
	}{
		"Good":       {"a key that is trusted", "text", good, late, "", ""},
		"Changed":    {"something was changed afterwards", "texts", good, late, "does not fit its signature of the key " + idOf(ann), "find out who changed it"},
		"Unknown":    {"somebody else signed", "text", sign(t, eve, "text", soon, 0), late, "the key " + idOf(eve) + ", which is not known", "add the public key to ConfigMap argocd-gpg-keys-cm"},
		"Nothing":    {"nobody did", "text", nil, late, "is not signed", "git commit -S"},
		"Blank":      {"nor did they with white space", "text", []byte(" \n"), late, "is not signed", "git tag -s"},
		"SSH":        {"SSH signs as well, and is not trusted", "text", []byte("-----BEGIN SSH SIGNATURE-----\nx\n"), late, "is not signed by OpenPGP", "gpg.format openpgp"},
		"X509":       {"so do certificates", "text", []byte("-----BEGIN SIGNED MESSAGE-----\nx\n"), late, "is not signed by OpenPGP", "gpg.format openpgp"},
		"Expired":    {"a key was too old", "text", sign(t, brief, "text", soon, 0), late, "the key " + idOf(brief) + ", which has expired", "renew the key"},
		"StillGood":  {"and counted before", "text", sign(t, brief, "text", soon, 0), made.Add(30 * time.Minute), "", ""},
		"SigExpired": {"a signature was", "text", sign(t, ann, "text", soon, 60), late, "has a signature of the key " + idOf(ann) + " that has expired", "sign it again"},
		"Revoked":    {"a key was taken back", "text", before, late, "the key " + idOf(gone) + ", which is revoked", "sign again with a key that is valid"},
		"Large":      {"more than any signature", "text", append(bytes.Clone(good), make([]byte, maxSignature)...), late, "too large", "sign it again"},
		"CutOff":     {"a signature that breaks off", "text", good[:len(good)/3], late, "cannot be read", "sign it again"},
		"NoArmor":    {"one that is none", "text", []byte("-----BEGIN PGP SIGNATURE-----\n\n????\n-----END PGP SIGNATURE-----\n"), late, "cannot be read", "sign it again"},
		"KeyInstead": {"a key in the place of a signature", "text", []byte(unnamed), late, "names no key", "sign it again"},
	} {
		t.Run(name, func(t *testing.T) {
			ids, err := keys.Check([]byte(tc.text), tc.signature, tc.now)
			var f *Fault
			if tc.what == "" {
				if d := cmp.Diff([]string{idOf(ann), idOf(ann)}, ids); name == "Good" && d != "" || err != nil {
					t.Errorf("%s: %v, %v", tc.reason, ids, err)
				}
				return
			}
			if !errors.As(err, &f) || ids != nil || !strings.Contains(f.What, tc.what) || !strings.Contains(f.Fix, tc.fix) || f.Error() != f.What {
				t.Errorf("%s: %v, %v", tc.reason, ids, err)
			}
		})
	}
	if _, err := (&Keyring{}).Check([]byte("text"), good, late); err == nil {
		t.Error("without keys somebody is trusted")
	}
}

// TestSubkeysSign for the key that they belong to: people know that one's ID.
func TestSubkeysSign(t *testing.T) {
	e := newKey(t, 0)
	if err := e.AddSigningSubkey(configAt(made, 0)); err != nil {
		t.Fatal(err)
	}
	sub := e.Subkeys[len(e.Subkeys)-1].PublicKey.KeyId
	ids, err := ring(t, e).Check([]byte("text"), sign(t, e, "text", made.Add(time.Minute), 0), made.Add(time.Hour))
	if d := cmp.Diff([]string{keyID(sub), idOf(e)}, ids); d != "" || err != nil {
		t.Errorf("%v:\n%s", err, d)
	}
}

// TestKeysThatAreNotUsed are told, and the others are used all the same.
func TestKeysThatAreNotUsed(t *testing.T) {
	ann, eve := newKey(t, 0), newKey(t, 0)
	secret := armored(t, openpgp.PrivateKeyType, func(b *bytes.Buffer) error { return eve.SerializePrivateWithoutSigning(b, nil) })
	for name, tc := range map[string]struct{ reason, id, text, want string }{
		"Another": {"a key under another one's ID", idOf(ann) + "0", public(t, eve), "it is the key " + idOf(eve)},
		"Both":    {"a second one beside it", idOf(eve), public(t, eve, ann), "it is the key " + idOf(ann)},
		"Private": {"a private key", idOf(eve), secret, "it is a private key"},
		"Large":   {"more than any key", idOf(eve), strings.Repeat("x", maxKeyBytes+1), "it is larger than 256 KiB"},
		"Text":    {"no key at all", idOf(eve), "hello", "cannot use key " + idOf(eve)},
		"Empty":   {"nothing", idOf(eve), "", "cannot use key " + idOf(eve)},
		"NoID":    {"an ID that is too short to name one", idOf(eve)[8:], public(t, eve), "it is the key " + idOf(eve)},
	} {
		t.Run(name, func(t *testing.T) {
			k, errs := ParseKeyring(map[string]string{tc.id: tc.text, strings.ToLower("0x" + idOf(ann)): public(t, ann)})
			if len(errs) != 1 || !gitops.IsProblem(errs[0], gitops.Invalid) || !strings.Contains(errs[0].Error(), tc.want) || !strings.Contains(errs[0].Error(), KeysMap) {
				t.Errorf("%s: %v", tc.reason, errs)
			}
			if _, err := k.Check([]byte("x"), sign(t, ann, "x", made, 0), made); err != nil {
				t.Errorf("%s: the other key is not used: %v", tc.reason, err)
			}
			if _, err := k.Check([]byte("x"), sign(t, eve, "x", made, 0), made); err == nil {
				t.Errorf("%s: it is used", tc.reason)
			}
		})
	}
}

// TestKeyringsAreBounded: each signature is held against all keys.
func TestKeyringsAreBounded(t *testing.T) {
	e := newKey(t, 0)
	text, data := public(t, e), map[string]string{}
	for i := range maxKeys + 5 {
		data[fmt.Sprintf("%04d%s", i, idOf(e))] = text
	}
	k, errs := ParseKeyring(data)
	if len(k.entities) != maxKeys || len(errs) != 1 || !strings.Contains(errs[0].Error(), "more than 1000 keys") {
		t.Errorf("%d keys, %v", len(k.entities), errs)
	}
}

// TestNamesOfKeys: people write IDs, fingerprints and either with 0x before it.
func TestNamesOfKeys(t *testing.T) {
	const id = "0123456789ABCDEF"
	for name, tc := range map[string]struct {
		reason, a, b string
		want         bool
	}{
		"Itself":      {"an ID", id, id, true},
		"Case":        {"in any case", id, strings.ToLower(id), true},
		"Prefix":      {"with 0x, and white space", " 0X" + id + "\n", id, true},
		"Fingerprint": {"a fingerprint ends in it", strings.Repeat("F", 24) + id, id, true},
		"Another":     {"another one", id, "1123456789ABCDEF", false},
		"Short":       {"the half of an ID is anybody's", "89ABCDEF", "89ABCDEF", false},
		"Nothing":     {"nothing is nobody's", "", "", false},
		"Begin":       {"a fingerprint does not begin with it", id, id + strings.Repeat("F", 24), false},
	} {
		if got := Same(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

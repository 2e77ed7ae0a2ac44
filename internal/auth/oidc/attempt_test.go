package oidc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestVault(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 32)
	at := &clock{}
	v, err := NewVault(key, at.now)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewVault(bytes.Repeat([]byte("o"), 32), at.now)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(v *Vault) string {
		text, err := v.Seal(&Attempt{State: "state", Nonce: "nonce", Verifier: "verifier", Return: "/", Until: at.now().Add(AttemptLife)})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good := sealed(v)
	if strings.Contains(good, "verifier") {
		t.Error("what is sealed can be read")
	}
	for reason, c := range map[string][2]string{
		"another state":               {good, "other"},
		"no state":                    {good, ""},
		"nothing":                     {"", "state"},
		"nothing for nothing":         {"", ""},
		"somebody else's seal":        {sealed(other), "state"},
		"a changed text":              {good[:len(good)-2] + "AA", "state"},
		"more than browsers can keep": {strings.Repeat("A", maxSealed+1), "state"},
	} {
		if a, err := v.Open(c[0], c[1]); !errors.Is(err, ErrRefused) || a != nil {
			t.Errorf("%s: %v, %v", reason, a, err)
		}
	}
	if a, err := v.Open(good, "state"); err != nil || a.Verifier != "verifier" {
		t.Errorf("what was sealed: %v, %v", a, err)
	}
	if _, err := v.Open(good, "state"); !errors.Is(err, ErrRefused) {
		t.Errorf("what was opened before: %v", err)
	}
	again, err := NewVault(key, at.now)
	if err != nil {
		t.Fatal(err)
	}
	late := sealed(v)
	if _, err := again.Open(late, "state"); err != nil {
		t.Errorf("another replica: %v", err)
	}
	at.move(AttemptLife + time.Second)
	v, err = NewVault(key, at.now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(late, "state"); !errors.Is(err, ErrRefused) {
		t.Errorf("after %s: %v", AttemptLife, err)
	}
}

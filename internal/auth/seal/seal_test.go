package seal

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestSealed(t *testing.T) {
	s, err := New([]byte("a key of this installation"), "tests")
	if err != nil {
		t.Fatal(err)
	}
	text := s.Seal([]byte("a place"), "a list")
	replica, err := New([]byte("a key of this installation"), "tests")
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := replica.Open(text, "a list"); err != nil || string(plain) != "a place" {
		t.Errorf("another replica opens %q: %v", plain, err)
	}
	other, err := New([]byte("a key of this installation"), "something else")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]func() ([]byte, error){
		"OtherList":    func() ([]byte, error) { return s.Open(text, "another list") },
		"OtherPurpose": func() ([]byte, error) { return other.Open(text, "a list") },
		"NoBase64":     func() ([]byte, error) { return s.Open("!", "a list") },
		"Cut":          func() ([]byte, error) { return s.Open(text[:len(text)-2], "a list") },
		"Empty":        func() ([]byte, error) { return s.Open("", "a list") },
	}
	for name, open := range cases {
		t.Run(name, func(t *testing.T) {
			if plain, err := open(); !errors.Is(err, ErrUnknown) {
				t.Errorf("it opens %q: %v", plain, err)
			}
		})
	}
	if err := s.Rekey([]byte("the next one")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(text, "a list"); !errors.Is(err, ErrUnknown) {
		t.Errorf("what was sealed with the key before: %v", err)
	}
}

// Whoever holds two texts does not learn from them whether they say the same, and
// no letter of one can be changed.
func TestSealedTextsSayNothing(t *testing.T) {
	s, err := New([]byte("a key of this installation"), "tests")
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []string{"", "a place", "\x00\xff", strings.Repeat("a long one ", 1000)} {
		one, other := s.Seal([]byte(plain), "a list"), s.Seal([]byte(plain), "a list")
		if one == other || plain != "" && strings.Contains(one, base64.RawURLEncoding.EncodeToString([]byte(plain))) {
			t.Errorf("what is said shows in %.40q and %.40q", one, other)
		}
		if got, err := s.Open(one, "a list"); err != nil || string(got) != plain {
			t.Errorf("%.20q comes back as %.20q: %v", plain, got, err)
		}
		for at := range min(len(one), 60) {
			letter := "A"
			if one[at] == 'A' {
				letter = "B"
			}
			if got, err := s.Open(one[:at]+letter+one[at+1:], "a list"); !errors.Is(err, ErrUnknown) && at < len(one)-1 {
				t.Errorf("with another letter at %d: %q, %v", at, got, err)
			}
		}
	}
}

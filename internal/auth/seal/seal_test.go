package seal

import (
	"errors"
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

package record

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// opener opens files by what their text begins with.
type opener struct{}

func (opener) Decrypt(_ context.Context, name string, text []byte) ([]byte, *Encryption, error) {
	word, rest, _ := strings.Cut(string(text), " ")
	switch word {
	case "opened":
		return []byte(rest), &Encryption{Opened: true, Values: []string{rest}}, nil
	case "grown":
		return slices.Repeat([]byte(rest), 100), &Encryption{Opened: true}, nil
	case "sealed":
		return text, &Encryption{Recipients: strings.Fields(rest)}, nil
	case "wrong":
		return nil, &Encryption{Opened: true}, gitops.Problemf(gitops.Invalid, "cannot decrypt %s", name).Do("give the engine the key")
	case "broken":
		return nil, &Encryption{}, errors.New("its keys cannot be read")
	case "odd":
		return nil, nil, errors.New("it cannot be told whether it is encrypted")
	}
	return text, nil, nil
}

// TestFilesThatAreOpened: what depends on a secret is kept as one, whether it could be
// opened or not.
func TestFilesThatAreOpened(t *testing.T) {
	texts := treetest.Files{"plain": "a", "opened": "opened hunter2hunter2", "sealed": "sealed age1 age2", "wrong": "wrong", "broken": "broken", "odd": "odd", "grown": "grown x"}
	for name, tc := range map[string]struct {
		reason, file, want string
		fails, secret      bool
		sealed             []Sealed
	}{
		"Plain":  {"a plain file is as it is", "plain", "a", false, false, nil},
		"Opened": {"an opened one makes the render a secret", "opened", "hunter2hunter2", false, true, nil},
		"Sealed": {"one that is left sealed is told of", "sealed", "sealed age1 age2", false, false, []Sealed{{"sealed", []string{"age1", "age2"}}}},
		"Wrong":  {"with another key it may not fail", "wrong", "", true, true, nil},
		"Broken": {"nor where it is not known who could open it", "broken", "", true, true, nil},
		"Odd":    {"what is not known to be encrypted is no secret", "odd", "", true, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tree := Wrap(t.Context(), treetest.Snapshot("r", "1", texts), Limits{}).Decrypting(opener{})
			text, err := tree.ReadFile(tc.file)
			if string(text) != tc.want || (err != nil) != tc.fails || tree.Secret() != tc.secret {
				t.Errorf("%s: got %q, %v; it is a secret: %t", tc.reason, text, err, tree.Secret())
			}
			if d := cmp.Diff(tc.sealed, tree.Sealed()); d != "" && len(tc.sealed)+len(tree.Sealed()) > 0 {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
			var p *gitops.Problem
			if errors.As(err, &p) && p.Where.File != tc.file {
				t.Errorf("%s: it is not said where: %v", tc.reason, err)
			}
		})
	}
}

// TestOpenedFilesAreDecrypted, whichever way they are read, and what is noted is the
// file in the repository: with the same key it gives the same.
func TestOpenedFilesAreDecrypted(t *testing.T) {
	texts := treetest.Files{"a": "opened hunter2hunter2"}
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", texts), Limits{}).Decrypting(opener{})
	f, err := tree.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "hunter2hunter2" {
		t.Errorf("got %q, %v", text, err)
	}
	if !tree.Log(".").Holds(treetest.Snapshot("r", "2", texts)) || tree.Log(".").Holds(treetest.Snapshot("r", "2", texts.With("a", "opened other"))) {
		t.Error("a render does not hold for what was read of it")
	}
	if raw, err := tree.Unrecorded().ReadFile("a"); err != nil || !strings.HasPrefix(string(raw), "opened") {
		t.Errorf("on the quiet it is as it is: %q, %v", raw, err)
	}
}

// TestOpenedFilesTakeRoom: they may be compressed.
func TestOpenedFilesTakeRoom(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", treetest.Files{"grown": "grown x"}), Limits{Bytes: bounded.NewBytes(50)}).Decrypting(opener{})
	_, err := tree.ReadFile("grown")
	if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "decrypted file grown") || !tree.Secret() {
		t.Errorf("got %v", err)
	}
}

// TestFormsOfHiddenValues: a value is shown in other forms than it was written in.
func TestFormsOfHiddenValues(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, value string
		has, not      []string
	}{
		"Plain":  {"as it is, and in the base64 of Secrets, with a line end and without", "hunter2", []string{"hunter2", "aHVudGVyMg==", "aHVudGVyMgo="}, nil},
		"Space":  {"white space around it is often lost", " hunter2\n", []string{"hunter2", "IGh1bnRlcjIK", "aHVudGVyMg=="}, []string{" hunter2\n"}},
		"Quoted": {"as texts are quoted", "hun\"ter2", []string{`hun"ter2`, `hun\"ter2`}, nil},
		"Short":  {"what is so short stands everywhere", "12345", nil, []string{"12345", "MTIzNDU="}},
		"Six":    {"six letters are hidden", "123456", []string{"123456"}, nil},
		"Lines":  {"a key's lines, which are wrapped elsewhere", "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG\nshort\n", []string{"MIIEvQIBADANBgkqhkiG"}, []string{"short", "-----BEGIN-----"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := Wrap(t.Context(), treetest.Snapshot("r", "1", nil), Limits{})
			if err := tree.hide("a", []string{tc.value}); err != nil {
				t.Fatal(err)
			}
			got := tree.Hidden()
			for _, want := range tc.has {
				if !slices.Contains(got, want) {
					t.Errorf("%s: %q is not in %q", tc.reason, want, got)
				}
			}
			for _, no := range tc.not {
				if slices.Contains(got, no) {
					t.Errorf("%s: %q is in %q", tc.reason, no, got)
				}
			}
			if !slices.IsSorted(got) {
				t.Errorf("their order changes: %q", got)
			}
		})
	}
}
